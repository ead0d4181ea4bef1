public import PerfModel

/// The profile of a file that another tool wrote.
public struct ProfileImport: Sendable {
  /// The format of the file.
  public let format: ImportFormat
  /// The profile, with warnings about the file in its audit.
  public let profile: Profile

  /// Reads a file of any size and content up to `ImportFormat.largestFile`.
  ///
  /// - Parameters:
  ///   - file: The bytes of the file, which may be compressed by gzip.
  ///   - format: The format; nil to recognise it by the content.
  ///   - interval: The CPU time in nanoseconds of each sample of a file that only counts samples; nil to
  ///     keep counts.
  /// - Throws: `ImportError`.
  public init(
    _ file: [UInt8], as format: ImportFormat? = nil, interval: UInt64? = nil
  ) throws(ImportError) {
    let limit = format?.largestSize ?? ImportFormat.largestFile
    guard file.count <= ImportFormat.largestFile else { throw .tooLarge(limit: limit) }
    let content = try Inflation.content(of: file, limit: limit)
    guard let format = format ?? ImportFormat.recognised(content) else {
      throw .unrecognised(hint: Self.hint(for: content))
    }
    guard content.count <= format.largestSize else { throw .tooLarge(limit: format.largestSize) }
    let tree =
      switch format {
      case .perfScript: try PerfScriptImport(content).tree
      case .pprof: try PprofImport(content).tree
      case .collapsed: try CollapsedImport(content).tree
      case .speedscope: try SpeedscopeImport(content).tree
      case .firefox: try FirefoxImport(content).tree
      }
    self.format = format
    profile = try tree.profile(interval: interval)
  }

  /// Returns a sentence about a file that other commands can convert; empty for others.
  private static func hint(for content: [UInt8]) -> String {
    if content.isEmpty { return "It is empty. " }
    if content.starts(with: ImportFormat.recordingOfPerf.utf8) {
      return "It is a recording of perf: import the output of `perf script -i FILE`. "
    }
    return ""
  }
}
