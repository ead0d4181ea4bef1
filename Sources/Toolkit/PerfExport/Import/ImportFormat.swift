/// A file format of other tools that profiles are imported from.
public enum ImportFormat: String, Sendable, CaseIterable {
  /// The text that `perf script` prints.
  case perfScript = "perf-script"
  /// The protocol buffer format of Google's pprof.
  case pprof
  /// Text with one line per stack.
  case collapsed
  /// The JSON format of speedscope.
  case speedscope
  /// The processed JSON format of the Firefox Profiler.
  case firefox

  /// A short description with the tools that write the format.
  public var summary: String {
    switch self {
    case .perfScript: "the text of `perf script`"
    case .pprof: "pprof's profile.proto, also gzip'ed, e.g. of Go programs"
    case .collapsed: "lines of `outer;inner;leaf 42`, e.g. of stackcollapse-perf.pl"
    case .speedscope: "speedscope JSON, e.g. of py-spy"
    case .firefox: "processed JSON of the Firefox Profiler, e.g. of samply, also gzip'ed"
    }
  }

  /// The largest content in bytes, uncompressed.
  ///
  /// The decoders need a multiple of it as memory: a pprof sample of two bytes becomes one of fifty.
  var largestSize: Int {
    switch self {
    case .perfScript, .collapsed: Self.largestFile
    case .speedscope, .firefox: 256 << 20
    case .pprof: 128 << 20
    }
  }

  /// The largest file in bytes of any format.
  public static let largestFile = 1 << 30

  /// The beginning of the binary file that `perf record` writes.
  static let recordingOfPerf = "PERFILE2"

  /// Returns the format of a file by its content; nil if it is none of these.
  ///
  /// - Parameter content: The uncompressed content.
  /// - Returns: The format.
  static func recognised(_ content: [UInt8]) -> ImportFormat? {
    guard !content.starts(with: recordingOfPerf.utf8) else { return nil }
    let beginning = content.prefix(1 << 16)
    // Of the formats, only the protocol buffer contains control characters.
    guard beginning.allSatisfy({ $0 >= 0x20 || isSpace($0) || $0 == 0x1B }) else { return .pprof }
    guard let first = beginning.first(where: { !isSpace($0) }) else { return nil }
    if first == UInt8(ascii: "{") {
      if content.contains("speedscope.app/file-format-schema") { return .speedscope }
      return content.contains("\"threads\"") ? .firefox : nil
    }
    for (_, line) in TextLines(content) where !line.isEmpty && line.first != UInt8(ascii: "#") {
      if PerfScriptHeader(line) != nil { return .perfScript }
      return CollapsedImport.isStack(line) ? .collapsed : nil
    }
    return nil
  }

  /// Returns whether a byte is a space, a tabulator or a part of a line's end.
  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }
}

extension [UInt8] {
  /// Returns whether bytes contain a text.
  ///
  /// - Complexity: O(*bytes*), as the first character of a text is rare in JSON.
  fileprivate func contains(_ text: String) -> Bool {
    let pattern = Array(text.utf8)
    return indices.contains { self[$0] == pattern[0] && self[$0...].starts(with: pattern) }
  }
}
