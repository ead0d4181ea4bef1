internal import Foundation
internal import PerfProfile
internal import PerfStore

/// The symbol cache of the profile, kept in the run store.
final class StoredSymbols: SymbolCache {
  private let store: RunStore

  /// Creates a cache in a store.
  init(_ store: RunStore) {
    self.store = store
  }

  /// Returns what is known; a store that cannot be read knows nothing.
  func symbols(buildID: String, addresses: [UInt64]) -> [UInt64: [SymbolFrame]] {
    let stored = (try? store.symbols(buildID: buildID, addresses: addresses)) ?? [:]
    let decoder = JSONDecoder()
    return stored.compactMapValues { try? decoder.decode([SymbolFrame].self, from: $0) }
  }

  /// Remembers symbols; a store that cannot be written forgets them, and they are looked up again.
  func store(_ symbols: [UInt64: [SymbolFrame]], buildID: String) {
    let encoder = JSONEncoder()
    let encoded = symbols.compactMapValues { try? encoder.encode($0) }
    try? store.saveSymbols(buildID: buildID, encoded)
  }
}
