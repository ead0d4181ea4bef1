extension LibraryConfiguration {
  /// How the reader's notes about a work are found.
  public enum UserEntryLookup: String, Hashable, Sendable, CaseIterable {
    /// All entries of the work are fetched from the table, as a relationship is, and the first is
    /// taken.
    case fetchAll
    /// The table is read up to the first entry of the work.
    case scan
    /// The first answer is kept; whoever changes an entry must call `invalidateUserEntry(ofWork:)`.
    ///
    /// A forgotten call gives stale answers, which `staleUserEntries()` finds.
    case cachedManually
    /// The first answer is kept until a call of this object changes the entry.
    ///
    /// Changes by other objects and processes go unnoticed.
    case cached
    /// The database answers from an index by work.
    case indexed

    var needed: LibrarySchema { self == .indexed ? .indexed : .original }

    /// Whether answers are kept in memory.
    var isCached: Bool { self == .cached || self == .cachedManually }
  }

  /// How the best edition of a work is found.
  public enum BestEdition: String, Hashable, Sendable, CaseIterable {
    /// All editions of the work are fetched and their scores computed, each time.
    case recomputed
    /// All editions are fetched, their stored scores compared.
    case storedScore
    /// The database answers from an index by work and score.
    case coveringIndex

    var needed: LibrarySchema {
      switch self {
      case .recomputed: .original
      case .storedScore: .scored
      case .coveringIndex: .indexed
      }
    }
  }

  /// How it is found out whether there are any books.
  public enum ExistenceCheck: String, Hashable, Sendable, CaseIterable {
    /// All works are fetched.
    case fetchAll
    /// At most one row is fetched.
    case limitOne
  }

  /// How books are searched while somebody types.
  public enum SearchStrategy: String, Hashable, Sendable, CaseIterable {
    /// Each keystroke fetches all books and filters them.
    case refetch
    /// All books are fetched once and filtered at each keystroke.
    case inMemory
    /// Each keystroke asks the full-text index.
    case fullText

    var needed: LibrarySchema { self == .fullText ? .searchable : .original }
  }

  /// How SQLite commits.
  public enum Journal: String, Hashable, Sendable, CaseIterable {
    /// Write-ahead log: readers go on while somebody writes, a commit costs no wait for the disk.
    case writeAheadLog
    /// Rollback journal that is deleted at each commit, which waits for the disk.
    case rollback
    /// Rollback journal that is cut to nothing at each commit.
    case truncate
    /// Rollback journal whose header is overwritten at each commit.
    case persist
    /// Rollback journal in memory: a process that dies while it writes leaves a damaged file.
    case memory

    /// Its name in SQLite.
    var pragma: String {
      switch self {
      case .writeAheadLog: "wal"
      case .rollback: "delete"
      case .truncate: "truncate"
      case .persist: "persist"
      case .memory: "memory"
      }
    }
  }

  /// For what SQLite waits at a commit.
  public enum Synchronous: String, Hashable, Sendable, CaseIterable {
    /// For nothing: a power cut may damage the file.
    case off
    /// For the disk at the critical moments only: with the write-ahead log a power cut loses the last
    /// commits, and damages nothing.
    case normal
    /// For the disk at each commit.
    case full
    /// As `full`, and for the folder when a rollback journal is deleted.
    case extra
  }
}
