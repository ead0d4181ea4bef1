/// The storage and query strategies of a library.
///
/// `naive` is a typical first version, which suffices for up to a thousand books. `optimised` opens
/// a library of any size in the same time. Every step between them can be chosen.
public struct LibraryConfiguration: Hashable, Sendable {
  /// The schema to which a database is migrated when it is opened for writing.
  public let schema: LibrarySchema
  /// The way a work's user entry is found.
  public let userEntry: UserEntryLookup
  /// The way the best edition of a work is found.
  public let bestEdition: BestEdition
  /// The way an empty library is detected.
  public let existenceCheck: ExistenceCheck
  /// The way books are searched.
  public let search: SearchStrategy
  /// The way SQLite commits.
  public let journal: Journal
  /// The disk writes that SQLite waits for at a commit.
  public let synchronous: Synchronous
  /// The longest wait for another process's lock, in seconds.
  public let busyTimeoutSeconds: Double

  /// Creates a configuration.
  ///
  /// Without a choice, user entries and searches use the index of the schema, if it has one, else
  /// `scan` and `refetch`. SQLite then waits for the disk writes that keep commits when the process
  /// dies and the file intact when the power fails: `normal` with the write-ahead log, else `full`.
  ///
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

  /// The first version: no indexes, recomputed scores, and an existence check that fetches
  /// everything.
  public static let naive = Self(
    schema: .original, bestEdition: .recomputed, existenceCheck: .fetchAll)

  /// Indexes, stored scores, and an existence check of one row.
  public static let optimised = Self()
}
