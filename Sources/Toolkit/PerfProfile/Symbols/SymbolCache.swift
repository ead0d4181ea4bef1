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

  /// Remembers the frames of addresses of files, innermost first.
  func store(_ symbols: [SymbolSource: [UInt64: [SymbolFrame]]])
}

/// What the symbols of a file were read from.
///
/// What a symbol table says is no answer any more when a debug file is installed.
public struct SymbolSource: Hashable, Sendable {
  /// The file's build id in hexadecimal digits.
  public let buildID: String
  /// Whether there was debug information, in the file or in one of its own.
  public let hasDebugInformation: Bool

  /// The source as one word.
  public var key: String { hasDebugInformation ? buildID + "+debug" : buildID }

  /// Creates a source.
  public init(buildID: String, hasDebugInformation: Bool) {
    self.buildID = buildID
    self.hasDebugInformation = hasDebugInformation
  }
}

/// Some addresses of one file.
public struct SymbolQuestion: Hashable, Sendable {
  /// What their symbols are to be from.
  public let source: SymbolSource
  /// Addresses of the file, not of a process.
  public let addresses: [UInt64]

  /// Creates a question.
  public init(source: SymbolSource, addresses: [UInt64]) {
    self.source = source
    self.addresses = addresses
  }
}

/// A cache that lives as long as the process.
public final class MemorySymbolCache: SymbolCache {
  private var known: [SymbolSource: [UInt64: [SymbolFrame]]] = [:]

  /// Creates an empty cache.
  public init() {}

  /// Returns what was stored before.
  public func symbols(_ questions: [SymbolQuestion]) -> [[[SymbolFrame]?]] {
    questions.map { question in
      let file = known[question.source] ?? [:]
      return question.addresses.map { file[$0] }
    }
  }

  /// Remembers symbols.
  public func store(_ symbols: [SymbolSource: [UInt64: [SymbolFrame]]]) {
    for (source, file) in symbols {
      known[source, default: [:]].merge(file) { _, new in new }
    }
  }
}
