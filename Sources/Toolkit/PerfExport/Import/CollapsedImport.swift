internal import PerfModel

/// Collapsed stacks: each line is a stack, outermost function first, a space and its number of samples.
///
/// The marks `_[k]`, `_[j]` and `_[i]` at the end of a function are those of stackcollapse-perf.pl: the
/// kernel, generated code and inlined functions.
struct CollapsedImport {
  private(set) var tree = ImportedTree(.collapsed)

  init(_ content: [UInt8]) throws(ImportError) {
    let thread = tree.thread("all threads")
    var areWhole = true
    for (number, line) in TextLines(content) {
      let line = line.trimmed
      guard !line.isEmpty, line.first != UInt8(ascii: "#") else { continue }
      guard let (stack, count) = Self.parts(of: line) else {
        throw tree.malformed(
          "line \(number) does not end with a number of samples: '\(line.prefix(60).text)'")
      }
      let samples = Int(exactly: count)
      areWhole = areWhole && samples != nil
      var node = -1
      for name in stack.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false) {
        node = try add(name, below: node)
        if tree.isCut(node) { break }
      }
      try tree.add(node, thread: thread, samples: samples ?? 1, weight: count)
    }
    tree.measure = Profile.Measure(
      name: areWhole ? "samples" : "units", dimension: .count, hasSamples: areWhole)
    tree.warnings += [TextLines.truncation(of: content)].compactMap(\.self)
  }

  /// Returns whether a line may be a stack with its count.
  static func isStack(_ line: ArraySlice<UInt8>) -> Bool { parts(of: line.trimmed) != nil }

  private static func parts(
    of line: ArraySlice<UInt8>
  ) -> (stack: ArraySlice<UInt8>, count: Double)? {
    guard let space = line.lastIndex(of: UInt8(ascii: " ")), space > line.startIndex else {
      return nil
    }
    let digits = line[(space + 1)...]
    // Double alone accepts "nan", "-1" and "0x1p3" as well.
    let isPlain = digits.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
    guard isPlain, let count = Double(digits.text), count.isFinite else { return nil }
    return (line[..<space].trimmed, count)
  }

  private mutating func add(_ name: ArraySlice<UInt8>, below caller: Int) throws(ImportError) -> Int
  {
    var name = name.trimmed
    var module = ""
    var isInlined = false
    if name.suffix(4).starts(with: "_[".utf8), name.last == UInt8(ascii: "]") {
      switch name[name.endIndex - 2] {
      case UInt8(ascii: "k"): module = Profile.kernelModule
      case UInt8(ascii: "j"): module = Profile.generatedModule
      case UInt8(ascii: "i"): isInlined = true
      default: return try tree.child(of: caller, tree.function(name.text))
      }
      name = name.dropLast(4)
    }
    return try tree.child(
      of: caller, tree.function(name.text, module: module), isInlined: isInlined)
  }
}
