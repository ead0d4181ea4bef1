/// The physical or digital format of an edition.
public enum BookFormat: String, Hashable, Sendable, CaseIterable {
  case hardcover
  case paperback
  case ebook
  case audiobook
  case other
}
