internal import PerfModel
internal import PerfStore

/// The runs of the store that a verb reads from.
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
  ///   - reference: As in `perfkit show --help`.
  ///   - contents: What is loaded beside the metrics.
  /// - Returns: The run.
  /// - Throws: `StoreError` when nothing, or more than one thing, is called so.
  func run(_ reference: String, including contents: RunContents = .all) throws -> Run {
    try store.run(id: store.resolve(reference).id, including: contents)
  }
}

extension StoredRuns {
  /// What a comparison in text needs of a run: its metrics and its profile's counts.
  static let forComparison: RunContents = [.profile]
}

extension RunStore {
  /// What is known of the noise of the machine that a run was made on; nil when it cannot be read:
  /// results are shown all the same.
  func noise(of run: Run) -> NoiseStatus? {
    do {
      return try certificate(of: run.environment.machine).map(NoiseStatus.certified)
        ?? .uncertified
    } catch {
      return nil
    }
  }
}
