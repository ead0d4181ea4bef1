/// The reader's exclusive shelf of a book: each book is on at most one.
///
/// Readers of Goodreads can add exclusive shelves, so any name is a status.
public struct ReadingStatus: RawRepresentable, Hashable, Sendable {
  /// The reader wants to read the book.
  public static let toRead = Self(rawValue: "to-read")
  /// The reader is reading the book.
  public static let reading = Self(rawValue: "currently-reading")
  /// The reader has read the book.
  public static let read = Self(rawValue: "read")
  /// The reader has given up the book.
  public static let didNotFinish = Self(rawValue: "did-not-finish")
  /// The reader has interrupted the book.
  public static let paused = Self(rawValue: "paused")
  /// The source of the book does not mention a shelf.
  public static let unspecified = Self(rawValue: "")

  /// The statuses that programs know; every other name is a shelf of the reader.
  static let known: [Self] = [.toRead, .reading, .read, .didNotFinish, .paused]

  /// The shelf's name.
  public let rawValue: String

  /// Creates the status of a shelf with exactly this name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Creates the status of a shelf in a reader's export, whatever the case and the hyphens.
  ///
  /// Common other names of a status, e.g. `dnf`, give that status; any other shelf keeps its name.
  init(shelf name: String) {
    switch Self.hyphenated(name) {
    case "to-read", "want-to-read": self = .toRead
    case "currently-reading", "reading": self = .reading
    case "read", "finished": self = .read
    case "did-not-finish", "dnf", "abandoned", "gave-up": self = .didNotFinish
    case "paused", "on-hold": self = .paused
    default: self.init(rawValue: name)
    }
  }

  /// Whether a shelf's name differs from the status by more than case and hyphens.
  func isRenamed(_ name: String) -> Bool {
    rawValue != name && rawValue != Self.hyphenated(name)
  }

  private static func hyphenated(_ name: String) -> String {
    name.lowercased().split { " -_".contains($0) }.joined(separator: "-")
  }
}
