public import PerfModel

/// The profile of a run as a file of another tool.
public struct ProfileExport: Sendable {
  /// The file's content; text is UTF-8.
  public let bytes: [UInt8]
  /// What the reader of the file must know, and the format cannot say.
  public let notes: [RunWarning]

  /// Writes the profile of a run.
  ///
  /// - Parameters:
  ///   - run: The run with its profile.
  ///   - format: The tool's format.
  ///   - selection: Which samples are taken.
  /// - Throws: `ExportError`.
  /// - Complexity: O(*counts* x *depth*).
  public init(
    _ run: Run, as format: ProfileFormat, selection: ExportSelection = ExportSelection()
  ) throws(ExportError) {
    guard let profile = run.profile else { throw .noProfile(run: run.id) }
    let counts = profile.counts.filter { selection.selects($0, of: profile) }
    guard !counts.isEmpty else { throw .nothingSelected(run: run.id) }
    switch format {
    case .collapsed:
      let folded = FoldedStacks(profile, hasThreads: true) {
        $0.state == .running && selection.selects($0, of: profile)
      }
      bytes = Array(folded.text.utf8)
    case .speedscope: bytes = SpeedscopeFile(run, profile, counts).bytes
    case .pprof: bytes = try PprofFile(run, profile, counts).bytes()
    }
    notes = []
  }
}
