/// What is remembered of symbols from run to run.
///
/// Only files with a build id are asked about and stored, and only answers that are as good as they
/// get: names from the fallback are never stored.
public protocol SymbolCache: AnyObject {
  /// Returns what is known of addresses of some files.
  ///
  /// - Parameter questions: Files and addresses; a file may be in more than one.
  /// - Returns: To each question, in their order, the frames of each of its addresses, innermost
  ///   first; nil where nothing is known.
  func symbols(_ questions: [SymbolQuestion]) -> [[[SymbolFrame]?]]

  /// Remembers the frames of addresses of files by their build ids, innermost first.
  func store(_ symbols: [String: [UInt64: [SymbolFrame]]])
}

/// Some addresses of one file.
public struct SymbolQuestion: Hashable, Sendable {
  /// The file's build id in hexadecimal digits.
  public let buildID: String
  /// Addresses of the file, not of a process.
  public let addresses: [UInt64]

  /// Creates a question.
  public init(buildID: String, addresses: [UInt64]) {
    self.buildID = buildID
    self.addresses = addresses
  }
}

/// A cache that lives as long as the process.
public final class MemorySymbolCache: SymbolCache {
  private var known: [String: [UInt64: [SymbolFrame]]] = [:]

  /// Creates an empty cache.
  public init() {}

  /// Returns what was stored before.
  public func symbols(_ questions: [SymbolQuestion]) -> [[[SymbolFrame]?]] {
    questions.map { question in
      let file = known[question.buildID] ?? [:]
      return question.addresses.map { file[$0] }
    }
  }

  /// Remembers symbols.
  public func store(_ symbols: [String: [UInt64: [SymbolFrame]]]) {
    for (buildID, file) in symbols {
      known[buildID, default: [:]].merge(file) { _, new in new }
    }
  }
}
