internal import PerfModel

/// Tells the functions that the program's authors wrote from code that was only compiled into it.
enum ProgramCode {
  /// Types of the standard library whose generic code is specialised into every program.
  private static let libraryTypes: Set<Substring> = [
    "Array", "ArraySlice", "ContiguousArray", "Dictionary", "Set", "String", "Substring",
    "Optional",
    "Result", "Range", "ClosedRange", "Sequence", "Collection", "MutableCollection", "Hasher",
    "BidirectionalCollection", "RandomAccessCollection", "LazySequence", "EnumeratedSequence",
    "UnsafePointer", "UnsafeMutablePointer", "UnsafeRawPointer", "UnsafeMutableRawPointer",
    "UnsafeBufferPointer", "UnsafeMutableBufferPointer", "UnsafeRawBufferPointer",
    "UnsafeMutableRawBufferPointer", "Span", "MutableSpan", "Data", "Atomic", "Mutex",
  ]

  /// Returns which functions of a profile are the program's own, by their index.
  ///
  /// Where any function of the program has a source file, one without is taken for generated code.
  static func isOwn(in profile: Profile) -> [Bool] {
    let inProgram = profile.functions.map { ModuleKind(module: $0.module) == .program }
    let hasSources = zip(profile.functions, inProgram).contains { $1 && isSource($0.file) }
    return zip(profile.functions, inProgram).map { function, isInside in
      isInside && (!hasSources || isSource(function.file)) && !isLibraryCode(function.name)
    }
  }

  /// Compilers and linkers name files of their own for what nobody wrote.
  private static func isSource(_ file: String?) -> Bool {
    guard let file else { return false }
    return !file.hasSuffix(">") && !file.hasSuffix(".o") && !file.hasSuffix("crtstuff.c")
  }

  /// Whether a function belongs to a type of the standard library, or to a type that its own code
  /// hides (those begin with an underscore), or is the linker's.
  static func isLibraryCode(_ name: String) -> Bool {
    if name.hasSuffix("@plt") || name.hasPrefix(".plt") { return true }
    var rest = name[...]
    while let space = rest.firstIndex(of: " "), isPrefix(rest[..<space]) {
      rest = rest[rest.index(after: space)...]
    }
    if rest.hasPrefix("_") { return true }
    return libraryTypes.contains(rest.prefix { $0.isLetter || $0.isNumber })
  }

  /// Words in front of a Swift function's name: `specialized`, `static`, `closure #1 in`.
  private static func isPrefix(_ word: Substring) -> Bool {
    ["specialized", "static", "closure", "implicit", "in", "partial", "apply", "for", "generic"]
      .contains(word) || word.hasPrefix("#")
  }
}
