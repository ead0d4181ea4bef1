internal import PerfGate
internal import PerfModel
internal import PerfStore

/// The runs of the store that a verb reads.
struct StoredRuns {
  /// The store, opened for reading.
  let store: RunStore

  /// Opens the store of the options.
  init(_ global: GlobalOptions, _ context: Context) throws {
    store = try RunStore(path: global.storePath(context), access: .reading)
  }

  /// Returns the run that a reference names.
  ///
  /// - Parameters:
  ///   - reference: A reference, as in `perfkit show --help`.
  ///   - contents: The parts to load in addition to the metrics.
  /// - Returns: The run.
  /// - Throws: `StoreError` if the reference names no run or several.
  func run(_ reference: String, including contents: RunContents = .all) throws -> Run {
    try store.run(id: store.resolve(reference).id, including: contents)
  }
}

extension StoredRuns {
  /// The parts of a run that a comparison in text needs in addition to the metrics.
  static let forComparison: RunContents = [.profile]
}
