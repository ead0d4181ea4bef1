/// A cache of symbols in a store of bytes, which lasts from run to run.
///
/// Only symbols of files with a build id are cached, and only if reading the file again cannot
/// improve them. The store keeps the symbols of a file in one piece. Separate rows for addresses
/// took longer to find and copy than to decode.
public final class SymbolCache {
  /// Loads the stored bytes of the given keys and passes each to the closure with the index of its
  /// key.
  public typealias Load = ([String], (Int, [UInt8]) -> Void) throws -> Void
  /// Replaces the stored bytes of keys in one transaction: the closure gets a key and its bytes, or
  /// nil, and returns the new bytes.
  public typealias Change = ([String], (String, [UInt8]?) -> [UInt8]) throws -> Void

  private let load: Load
  private let change: Change

  /// Creates a cache.
  ///
  /// - Parameters:
  ///   - load: Loads stored symbols; if it throws, no symbol is known.
  ///   - change: Stores more symbols; if it throws, they are looked up again next time.
  public init(load: @escaping Load, change: @escaping Change) {
    self.load = load
    self.change = change
  }

  /// Returns the known symbols at addresses; bytes of another version count as unknown.
  ///
  /// - Parameter questions: Keys of files and addresses; a key may occur more than once.
  /// - Returns: For each question in order the frames of each of its addresses, innermost first;
  ///   nil for an unknown address.
  func symbols(_ questions: [(key: String, addresses: [UInt64])]) -> [[[SymbolFrame]?]] {
    var answers: [[[SymbolFrame]?]] = questions.map { $0.addresses.map { _ in nil } }
    try? load(questions.map(\.key)) { place, bytes in
      var known = PackedSymbols(bytes)
      if let frames = known?.frames(at: questions[place].addresses) { answers[place] = frames }
    }
    return answers
  }

  /// Stores the frames at addresses of files by key, innermost first.
  func store(_ symbols: [String: [UInt64: [SymbolFrame]]]) {
    try? change(symbols.keys.sorted()) { key, bytes in
      SymbolPacker.pack(symbols[key] ?? [:], onto: bytes.flatMap { PackedSymbols($0) })
    }
  }
}
