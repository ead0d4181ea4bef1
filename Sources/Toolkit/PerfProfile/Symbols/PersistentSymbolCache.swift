/// A symbol cache over any store of bytes, which stays from run to run.
///
/// The store keeps one piece of bytes for each file. With a row for each address, finding and copying
/// rows took longer than reading what is in them.
public final class PersistentSymbolCache: SymbolCache {
  /// Calls its last argument with what is kept of files: with the place of a `SymbolSource.key` among
  /// those that are asked for, and bytes.
  public typealias Load = ([String], (Int, [UInt8]) -> Void) throws -> Void
  /// Replaces what is kept of files by what its last argument makes of it, all at once: of a
  /// `SymbolSource.key` and of bytes, or nil.
  public typealias Change = ([String], (String, [UInt8]?) -> [UInt8]) throws -> Void

  private let load: Load
  private let change: Change

  /// Creates a cache.
  ///
  /// - Parameters:
  ///   - load: Finds what is kept of files; a store that cannot be read knows nothing.
  ///   - change: Keeps more of them; a store that cannot be written forgets it, and it is looked up
  ///     again.
  public init(load: @escaping Load, change: @escaping Change) {
    self.load = load
    self.change = change
  }

  /// Returns what is known; bytes that another version wrote, or nobody, are not.
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

  /// Remembers symbols.
  public func store(_ symbols: [SymbolSource: [UInt64: [SymbolFrame]]]) {
    let files = Dictionary(uniqueKeysWithValues: symbols.map { ($0.key.key, $0.value) })
    try? change(files.keys.sorted()) { key, bytes in
      SymbolPacker.pack(files[key] ?? [:], onto: bytes.flatMap { PackedSymbols($0) })
    }
  }
}
