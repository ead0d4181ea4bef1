public import PerfModel

/// The profile of a run in the file format of another tool.
public struct ProfileExport: Sendable {
  /// The content of the file; text is UTF-8.
  public let bytes: [UInt8]

  /// Writes the profile of a run.
  ///
  /// - Parameters:
  ///   - run: The run with its profile; for `firefox` and `chrome` with all its parts.
  ///   - format: The file format.
  ///   - selection: Selects the samples to export.
  /// - Throws: `ExportError`.
  /// - Complexity: O(*counts* x *depth*), for `chrome` O(*samples* x *depth*).
  public init(
    _ run: Run, as format: ProfileFormat, selection: SampleFilter = SampleFilter()
  ) throws(ExportError) {
    guard let profile = run.profile?.exported else { throw .noProfile(run: run.id) }
    let counts = profile.counts.filter { selection.selects($0, of: profile) }
    // These formats contain only CPU time.
    let isOfRunning = format == .collapsed || format == .speedscope
    guard counts.contains(where: { !isOfRunning || $0.state == .running }) else {
      throw .nothingSelected(run: run.id)
    }
    switch format {
    case .collapsed:
      // An imported file without threads has one that stands for all.
      let hasThreads = run.importedFormat == nil || profile.threads.count > 1
      let folded = FoldedStacks(profile, hasThreads: hasThreads) {
        $0.state == .running && selection.selects($0, of: profile)
      }
      bytes = Array(folded.text.utf8)
    case .speedscope: bytes = SpeedscopeFile(run, profile, counts).bytes
    case .pprof: bytes = try PprofFile(run, profile, counts).bytes()
    case .firefox:
      let samples = try TimedSamples(run, profile, selection, for: format)
      bytes = FirefoxFile(run, profile, samples).bytes
    case .chrome:
      let samples = try TimedSamples(run, profile, selection, for: format)
      bytes = ChromeFile(run, profile, samples).bytes
    }
  }
}
