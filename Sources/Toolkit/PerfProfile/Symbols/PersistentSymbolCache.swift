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
    var found: [(address: UInt64, places: [PackedSymbols.Place])] = []
    found.reserveCapacity(addresses.count)
    try? load(buildID, addresses) { address, bytes in
      if let places = bytes.withUnsafeBytes(PackedSymbols.places) {
        found.append((address, places))
      }
    }
    let numbers = Set(found.lazy.flatMap { $0.places.lazy.map(\.function) })
    var functions: [UInt64: SymbolFrame] = [:]
    functions.reserveCapacity(numbers.count)
    try? load(buildID, Array(numbers)) { number, bytes in
      functions[number] = bytes.withUnsafeBytes(PackedSymbols.function)
    }
    var known: [UInt64: [SymbolFrame]] = [:]
    known.reserveCapacity(found.count)
    for (address, places) in found {
      let frames = places.compactMap { place in
        functions[place.function].map { $0.atLine(place.line) }
      }
      if frames.count == places.count { known[address] = frames }
    }
    return known
  }

  /// Remembers symbols.
  public func store(_ symbols: [UInt64: [SymbolFrame]], buildID: String) {
    try? save(buildID, PackedSymbols.pack(symbols))
  }
}
