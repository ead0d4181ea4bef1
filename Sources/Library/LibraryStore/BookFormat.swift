/// The physical or digital format of an edition.
public enum BookFormat: String, Hashable, Sendable, CaseIterable {
  /// A hardcover, which includes library and leather bindings.
  case hardcover
  /// A paperback of any size.
  case paperback
  /// An electronic book.
  case ebook
  /// An audiobook on any medium.
  case audiobook
  /// Any other or an unknown format.
  case other
}
