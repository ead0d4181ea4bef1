internal import PerfModel
internal import PerfStore

/// What was decided: in the store, and on the pages of a checkout, since a fresh one has no store.
enum Ledger {
  /// Reads both.
  ///
  /// - Parameters:
  ///   - store: Its decisions.
  ///   - folder: The folder of the pages.
  /// - Returns: All decisions, the first one first; one that both have is there once.
  /// - Throws: `StoreError`.
  static func decisions(in store: RunStore, and folder: LedgerFolder) throws -> [Decision] {
    merged(own: try store.decisions(), folder)
  }

  private static func merged(own: [Decision], _ folder: LedgerFolder) -> [Decision] {
    let others = folder.decisions.filter { page in
      !own.contains { $0.comparison == page.comparison && $0.decided == page.decided }
    }
    return (own + others).sorted { ($0.decided, $0.number) < ($1.decided, $1.number) }
  }

  /// Reads the pages, and the store where there is one.
  ///
  /// - Throws: `StoreError` when there is one that cannot be read.
  static func decisions(
    inStoreAt path: String, and folder: LedgerFolder
  ) throws -> [Decision] {
    let store: RunStore
    do {
      store = try RunStore(path: path, access: .reading)
    } catch {
      guard case .missing = error else { throw error }
      return merged(own: [], folder)
    }
    return try decisions(in: store, and: folder)
  }
}
