internal import Foundation
internal import PerfProfile
internal import PerfStore

extension PersistentSymbolCache {
  /// Creates a cache that is kept in a run store.
  convenience init(_ store: RunStore) {
    self.init(
      load: { buildID, addresses in
        let known = try? store.symbols(buildID: buildID, addresses: addresses)
        return (known ?? [:]).mapValues { [UInt8]($0) }
      },
      save: { buildID, symbols in
        try? store.saveSymbols(buildID: buildID, symbols.mapValues { Data($0) })
      })
  }
}
