/// A cache of symbols that lasts from run to run.
///
/// Only symbols of files with a build id are cached, and only if reading the file again cannot
/// improve them.
public protocol SymbolCache: AnyObject {
  /// Returns the known symbols at addresses.
  ///
  /// - Parameter questions: Files and addresses; a file may occur more than once.
  /// - Returns: For each question in order the frames of each of its addresses, innermost first;
  ///   nil for an unknown address.
  func symbols(_ questions: [SymbolQuestion]) -> [[[SymbolFrame]?]]

  /// Stores the frames at addresses of files, innermost first.
  func store(_ symbols: [SymbolSource: [UInt64: [SymbolFrame]]])
}

/// A file and the kind of symbols that it offers.
///
/// The kind is part of the identity, because symbols of a stripped file are obsolete once the whole
/// file or a debug file is available.
public struct SymbolSource: Hashable, Sendable {
  /// The kinds of symbols in a file or its debug file, each richer than the one before it.
  public enum Content: Hashable, Sendable, CaseIterable {
    /// Exported functions, as in a stripped file.
    case exports
    /// A table of all functions.
    case symbolTable
    /// All functions, inlined functions and lines.
    case debugInformation
  }

  /// The file's build id in hexadecimal digits.
  public let buildID: String
  /// The kind of symbols.
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

/// Addresses of one file.
public struct SymbolQuestion: Hashable, Sendable {
  /// The source of the wanted symbols.
  public let source: SymbolSource
  /// Addresses in the file, not in a process.
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

  /// Returns the stored symbols.
  public func symbols(_ questions: [SymbolQuestion]) -> [[[SymbolFrame]?]] {
    questions.map { question in
      let file = known[question.source] ?? [:]
      return question.addresses.map { file[$0] }
    }
  }

  /// Stores symbols.
  public func store(_ symbols: [SymbolSource: [UInt64: [SymbolFrame]]]) {
    for (source, file) in symbols {
      known[source, default: [:]].merge(file) { _, new in new }
    }
  }
}
