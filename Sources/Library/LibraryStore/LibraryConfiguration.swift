/// How a library stores its books and finds them again.
///
/// `naive` is what a first version does and what works up to a thousand books; `optimised` is what
/// it takes to open a library of any size in the same time. Each step between them can be chosen.
public struct LibraryConfiguration: Hashable, Sendable {
  /// The schema that a database is brought to when it is opened for writing.
  public let schema: LibrarySchema
  /// How the reader's notes about a work are found.
  public let userEntry: UserEntryLookup
  /// How the best edition of a work is found.
  public let bestEdition: BestEdition
  /// How it is found out whether there are any books.
  public let existenceCheck: ExistenceCheck
  /// How books are searched.
  public let search: SearchStrategy
  /// How SQLite commits.
  public let journal: Journal
  /// For what SQLite waits at a commit.
  public let synchronous: Synchronous
  /// How long a call waits for another process's lock, in seconds.
  public let busyTimeoutSeconds: Double

  /// Creates a configuration.
  ///
  /// - Parameters:
  ///   - schema: The schema that a database is brought to.
  ///   - userEntry: nil takes the index where the schema has it, else the scan.
  ///   - bestEdition: How the best edition of a work is found.
  ///   - existenceCheck: How it is found out whether there are any books.
  ///   - search: nil takes the full-text index where the schema has it, else fetches again.
  ///   - journal: How SQLite commits.
  ///   - synchronous: nil takes what loses no commit that others have seen when the process dies
  ///     and keeps the file whole when the power fails: `normal` with the write-ahead log, else `full`.
  ///   - busyTimeoutSeconds: How long a call waits for another process's lock.
  /// - Precondition: A stored score needs the schema `scored`, any index `indexed`, full text
  ///   `searchable`.
  public init(
    schema: LibrarySchema = .indexed, userEntry: UserEntryLookup? = nil,
    bestEdition: BestEdition = .coveringIndex, existenceCheck: ExistenceCheck = .limitOne,
    search: SearchStrategy? = nil, journal: Journal = .writeAheadLog,
    synchronous: Synchronous? = nil, busyTimeoutSeconds: Double = 5
  ) {
    let userEntry = userEntry ?? (schema >= .indexed ? .indexed : .scan)
    let search = search ?? (schema >= .searchable ? .fullText : .refetch)
    precondition(
      schema >= bestEdition.needed, "best edition by \(bestEdition) needs '\(bestEdition.needed)'")
    precondition(
      schema >= userEntry.needed, "user entry by \(userEntry) needs '\(userEntry.needed)'")
    precondition(schema >= search.needed, "search by \(search) needs '\(search.needed)'")
    self.schema = schema
    self.userEntry = userEntry
    self.bestEdition = bestEdition
    self.existenceCheck = existenceCheck
    self.search = search
    self.journal = journal
    self.synchronous = synchronous ?? (journal == .writeAheadLog ? .normal : .full)
    self.busyTimeoutSeconds = busyTimeoutSeconds
  }

  /// The first version: no indexes, scores recomputed, existence check by fetching everything.
  public static let naive = Self(
    schema: .original, bestEdition: .recomputed, existenceCheck: .fetchAll)

  /// Indexes, stored scores, existence check by one row.
  public static let optimised = Self()
}
