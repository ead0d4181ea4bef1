/// What is remembered of symbols from run to run.
///
/// Only files with a build id are asked about and stored, and only answers that are as good as they
/// get: names from the fallback are never stored.
public protocol SymbolCache: AnyObject {
  /// Returns what is known of addresses of one file; addresses that are not known are left out.
  ///
  /// - Parameters:
  ///   - buildID: The file's build id in hexadecimal digits.
  ///   - addresses: Addresses of the file, not of a process.
  /// - Returns: The frames of each address, innermost first; none of one that is known to have no
  ///   name.
  func symbols(buildID: String, addresses: [UInt64]) -> [UInt64: [SymbolFrame]]

  /// Remembers the frames of addresses of one file, innermost first; none of one without a name.
  func store(_ symbols: [UInt64: [SymbolFrame]], buildID: String)
}

/// A cache that lives as long as the process.
public final class MemorySymbolCache: SymbolCache {
  private var known: [String: [UInt64: [SymbolFrame]]] = [:]

  /// Creates an empty cache.
  public init() {}

  /// Returns what was stored before.
  public func symbols(buildID: String, addresses: [UInt64]) -> [UInt64: [SymbolFrame]] {
    guard let file = known[buildID] else { return [:] }
    var found: [UInt64: [SymbolFrame]] = [:]
    for address in addresses { found[address] = file[address] }
    return found
  }

  /// Remembers symbols.
  public func store(_ symbols: [UInt64: [SymbolFrame]], buildID: String) {
    known[buildID, default: [:]].merge(symbols) { _, new in new }
  }
}
