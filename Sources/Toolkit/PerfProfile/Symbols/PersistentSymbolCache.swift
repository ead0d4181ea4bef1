/// A symbol cache in a store of bytes, which lasts from run to run.
///
/// The store keeps the symbols of a file in one piece. Separate rows for addresses took longer to
/// find and copy than to decode.
public final class PersistentSymbolCache: SymbolCache {
  /// Loads the stored bytes of the given `SymbolSource.key`s and passes each to the closure with
  /// the index of its key.
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

  /// Returns the known symbols; bytes of another version count as unknown.
  public func symbols(_ questions: [SymbolQuestion]) -> [[[SymbolFrame]?]] {
    var answers: [[[SymbolFrame]?]] = questions.map { _ in [] }
    try? load(questions.map(\.source.key)) { place, bytes in
      var known = PackedSymbols(bytes)
      answers[place] = known?.frames(at: questions[place].addresses) ?? []
    }
    for (place, question) in questions.enumerated() where answers[place].isEmpty {
      answers[place] = question.addresses.map { _ in nil }
    }
    return answers
  }

  /// Stores symbols.
  public func store(_ symbols: [SymbolSource: [UInt64: [SymbolFrame]]]) {
    let files = Dictionary(uniqueKeysWithValues: symbols.map { ($0.key.key, $0.value) })
    try? change(files.keys.sorted()) { key, bytes in
      SymbolPacker.pack(files[key] ?? [:], onto: bytes.flatMap { PackedSymbols($0) })
    }
  }
}
