internal import PerfModel

/// The rule that separates functions written by the program's authors from other code in it.
enum ProgramCode {
  /// Types of the standard library whose generic code is specialised into programs.
  private static let libraryTypes: Set<Substring> = [
    "Array", "ArraySlice", "ContiguousArray", "Dictionary", "Set", "String", "Substring",
    "Optional",
    "Result", "Range", "ClosedRange", "Sequence", "Collection", "MutableCollection", "Hasher",
    "BidirectionalCollection", "RandomAccessCollection", "LazySequence", "EnumeratedSequence",
    "UnsafePointer", "UnsafeMutablePointer", "UnsafeRawPointer", "UnsafeMutableRawPointer",
    "UnsafeBufferPointer", "UnsafeMutableBufferPointer", "UnsafeRawBufferPointer",
    "UnsafeMutableRawBufferPointer", "Span", "MutableSpan", "Data", "Atomic", "Mutex",
  ]

  /// The module of code that the program generated, which has no source files.
  private static let generated = "[generated]"

  /// Returns for each function of a profile whether the program's authors wrote it.
  ///
  /// If any function of the program has a source file, functions without one count as generated
  /// code.
  static func isOwn(in profile: Profile) -> [Bool] {
    let inProgram = profile.functions.map { ModuleKind(module: $0.module) == .program }
    let hasSources = zip(profile.functions, inProgram).contains { $1 && isSource($0.file) }
    return zip(profile.functions, inProgram).map { function, isInside in
      let hasSource = !hasSources || isSource(function.file) || function.module == generated
      return isInside && hasSource && !isLibraryCode(function.name)
    }
  }

  /// Returns whether a file is source code; compilers and linkers use other names for generated
  /// code.
  private static func isSource(_ file: String?) -> Bool {
    guard let file else { return false }
    return !file.hasSuffix(">") && !file.hasSuffix(".o") && !file.hasSuffix("crtstuff.c")
  }

  /// Returns whether a function belongs to the standard library, to a hidden type of the program
  /// (its name begins with an underscore), or to the linker.
  static func isLibraryCode(_ name: String) -> Bool {
    if name.hasSuffix("@plt") || name.hasPrefix(".plt") { return true }
    var rest = name[...]
    while let space = rest.firstIndex(of: " "), isPrefix(rest[..<space]) {
      rest = rest[rest.index(after: space)...]
    }
    if rest.hasPrefix("_") { return true }
    return libraryTypes.contains(rest.prefix { $0.isLetter || $0.isNumber })
  }

  /// Returns whether a word precedes the name of a Swift function: `specialized`, `static`,
  /// `closure #1 in`.
  private static func isPrefix(_ word: Substring) -> Bool {
    [
      "specialized", "static", "closure", "implicit", "in", "partial", "apply", "for", "generic",
      "protocol", "witness",
    ].contains(word) || word.hasPrefix("#")
  }
}
