public import PerfModel
public import PerfStore

/// The decisions of a store and of the pages of a checkout.
///
/// The pages make decisions known in a fresh checkout, which has no store.
public enum Ledger {
  /// Reads the decisions of a store and of pages.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - folder: The folder of the pages.
  /// - Returns: All decisions, the earliest first, each once.
  /// - Throws: `StoreError`.
  public static func decisions(
    in store: RunStore, and folder: LedgerFolder
  ) throws -> [Decision] {
    merged(try store.decisions(), folder)
  }

  /// Reads the decisions of pages, and of the store at a path if there is one.
  ///
  /// - Throws: `StoreError` if the store exists but cannot be read.
  public static func decisions(
    inStoreAt path: String, and folder: LedgerFolder
  ) throws -> [Decision] {
    merged(try RunStore.existing(at: path)?.decisions() ?? [], folder)
  }

  private static func merged(_ stored: [Decision], _ folder: LedgerFolder) -> [Decision] {
    let others = folder.decisions.filter { page in
      !stored.contains { $0.comparison == page.comparison && $0.decided == page.decided }
    }
    return (stored + others).sorted { ($0.decided, $0.number) < ($1.decided, $1.number) }
  }
}
