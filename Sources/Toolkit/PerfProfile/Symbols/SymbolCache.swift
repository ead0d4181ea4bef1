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
/// What is said of a stripped file is no answer any more when the whole one is there again, and what
/// a symbol table says is none when a debug file is installed.
public struct SymbolSource: Hashable, Sendable {
  /// What there was to read, in the file or in its debug file.
  ///
  /// Each says more than the one before it.
  public enum Content: Hashable, Sendable, CaseIterable {
    /// The functions that it exports, as a stripped file has them.
    case exports
    /// A table of all functions.
    case symbolTable
    /// Inlined functions and lines as well.
    case debugInformation
  }

  /// The file's build id in hexadecimal digits.
  public let buildID: String
  /// What there was to read.
  public let content: Content

  /// The source as one word.
  public var key: String {
    switch content {
    case .exports: buildID + "+exports"
    case .symbolTable: buildID
    case .debugInformation: buildID + "+debug"
    }
  }

  /// Creates a source.
  public init(buildID: String, content: Content) {
    self.buildID = buildID
    self.content = content
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
