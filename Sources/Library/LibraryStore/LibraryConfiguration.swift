/// How a library stores its books and finds them again.
///
/// `naive` is what a first version does and what works up to a thousand books; `optimised` is what
/// it takes to open a library of any size in the same time. Each step between them can be chosen.
public struct LibraryConfiguration: Hashable, Sendable {
  /// How the best edition of a work is found.
  public enum BestEdition: String, Hashable, Sendable, CaseIterable {
    /// All editions of the work are fetched and their scores computed, each time.
    case recomputed
    /// All editions are fetched, their stored scores compared.
    case storedScore
    /// The database answers from an index by work and score.
    case coveringIndex
  }

  /// How it is found out whether there are any books.
  public enum ExistenceCheck: String, Hashable, Sendable, CaseIterable {
    /// All works are fetched.
    case fetchAll
    /// At most one row is fetched.
    case limitOne
  }

  /// How SQLite commits.
  public enum Journal: String, Hashable, Sendable, CaseIterable {
    /// Write-ahead log: readers go on while somebody writes, a commit costs no wait for the disk.
    case writeAheadLog
    /// Rollback journal: each commit waits for the disk.
    case rollback
  }

  /// The schema that a database is brought to when it is opened for writing.
  public let schema: LibrarySchema
  /// How the best edition of a work is found.
  public let bestEdition: BestEdition
  /// How it is found out whether there are any books.
  public let existenceCheck: ExistenceCheck
  /// How SQLite commits.
  public let journal: Journal
  /// How long a call waits for another process's lock, in seconds.
  public let busyTimeoutSeconds: Double

  /// Creates a configuration.
  ///
  /// - Precondition: A stored score needs the schema `scored`, a covering index `indexed`.
  public init(
    schema: LibrarySchema = .indexed, bestEdition: BestEdition = .coveringIndex,
    existenceCheck: ExistenceCheck = .limitOne, journal: Journal = .writeAheadLog,
    busyTimeoutSeconds: Double = 5
  ) {
    let needed: LibrarySchema =
      switch bestEdition {
      case .recomputed: .original
      case .storedScore: .scored
      case .coveringIndex: .indexed
      }
    precondition(schema >= needed, "best edition by \(bestEdition) needs the schema '\(needed)'")
    self.schema = schema
    self.bestEdition = bestEdition
    self.existenceCheck = existenceCheck
    self.journal = journal
    self.busyTimeoutSeconds = busyTimeoutSeconds
  }

  /// The first version: no indexes, scores recomputed, existence check by fetching everything.
  public static let naive = Self(
    schema: .original, bestEdition: .recomputed, existenceCheck: .fetchAll)

  /// Indexes, stored scores, existence check by one row.
  public static let optimised = Self()
}
