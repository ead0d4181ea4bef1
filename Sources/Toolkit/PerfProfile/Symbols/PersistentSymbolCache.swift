/// A symbol cache over any store of bytes, which stays from run to run.
public final class PersistentSymbolCache: SymbolCache {
  /// Calls its last argument with the bytes of each address that is known.
  public typealias Load = (String, [UInt64], (UInt64, [UInt8]) -> Void) throws -> Void
  /// Keeps the bytes of some addresses.
  public typealias Save = (String, [UInt64: [UInt8]]) throws -> Void

  private let load: Load
  private let save: Save

  /// Creates a cache.
  ///
  /// - Parameters:
  ///   - load: Finds what was saved of addresses of the file with a build id; a store that cannot be
  ///     read knows nothing.
  ///   - save: Saves them; a store that cannot be written forgets them, and they are looked up
  ///     again.
  public init(load: @escaping Load, save: @escaping Save) {
    self.load = load
    self.save = save
  }

  /// Returns what is known; bytes that another version wrote are not.
  public func symbols(buildID: String, addresses: [UInt64]) -> [UInt64: [SymbolFrame]] {
    var known: [UInt64: [SymbolFrame]] = [:]
    known.reserveCapacity(addresses.count)
    try? load(buildID, addresses) { address, bytes in
      known[address] = bytes.withUnsafeBytes(PackedSymbols.unpack)
    }
    return known
  }

  /// Remembers symbols.
  public func store(_ symbols: [UInt64: [SymbolFrame]], buildID: String) {
    try? save(buildID, symbols.mapValues(PackedSymbols.pack))
  }
}
