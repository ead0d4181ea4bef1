extension LibraryConfiguration {
  /// The way a work's user entry is found.
  public enum UserEntryLookup: String, Hashable, Sendable, CaseIterable {
    /// Fetches all entries of the work, like a relationship of an object model; takes the first.
    case fetchAll = "fetch-all"
    /// Reads the table up to the first entry of the work.
    case scan
    /// Caches the first answer until the caller invalidates it with `invalidateUserEntry(ofWork:)`.
    ///
    /// A forgotten call leaves stale answers, which `staleUserEntries()` finds.
    case cachedManually = "cached-manually"
    /// Caches the first answer until this object, but no other, changes the entry.
    case cached
    /// Reads an index by work.
    case indexed

    /// The oldest schema that the strategy works with.
    var needed: LibrarySchema { self == .indexed ? .indexed : .original }

    /// Whether answers are cached in memory.
    var isCached: Bool { self == .cached || self == .cachedManually }
  }

  /// The way the best edition of a work is found.
  public enum BestEdition: String, Hashable, Sendable, CaseIterable {
    /// Fetches all editions of the work and computes their scores each time.
    case recomputed
    /// Fetches all editions and compares their stored scores.
    case storedScore = "stored"
    /// Reads an index by work and score.
    case coveringIndex = "covering-index"

    /// The oldest schema that the strategy works with.
    var needed: LibrarySchema {
      switch self {
      case .recomputed: .original
      case .storedScore: .scored
      case .coveringIndex: .indexed
      }
    }
  }

  /// The way an empty library is detected.
  public enum ExistenceCheck: String, Hashable, Sendable, CaseIterable {
    /// Fetches all works.
    case fetchAll = "fetch-all"
    /// Fetches at most one row.
    case limitOne = "limit-one"
  }

  /// The way books are searched while the user types.
  public enum SearchStrategy: String, Hashable, Sendable, CaseIterable {
    /// Fetches and filters all books at each keystroke.
    case refetch
    /// Fetches all books once and filters them at each keystroke.
    case inMemory = "in-memory"
    /// Queries the full-text index at each keystroke.
    case fullText = "full-text"

    /// The oldest schema that the strategy works with.
    var needed: LibrarySchema { self == .fullText ? .searchable : .original }
  }

  /// The way SQLite commits.
  public enum Journal: String, Hashable, Sendable, CaseIterable {
    /// A write-ahead log: reads continue during writes, and a commit does not wait for the disk.
    case writeAheadLog
    /// A rollback journal that is deleted at each commit, which waits for the disk.
    case rollback
    /// A rollback journal that is truncated at each commit.
    case truncate
    /// A rollback journal whose header is overwritten at each commit.
    case persist
    /// A rollback journal in memory: a crash during a write damages the file.
    case memory

    /// The mode's name in SQLite.
    var pragma: String {
      switch self {
      case .writeAheadLog: "wal"
      case .rollback: "delete"
      case .truncate, .persist, .memory: rawValue
      }
    }
  }

  /// The disk writes that SQLite waits for at a commit.
  public enum Synchronous: String, Hashable, Sendable, CaseIterable {
    /// None: a power cut may damage the file.
    case off
    /// Only the critical ones.
    ///
    /// With the write-ahead log, a power cut loses the last commits but damages nothing.
    case normal
    /// The data of each commit.
    case full
    /// As `full`, and the folder when a rollback journal is deleted.
    case extra
  }
}
