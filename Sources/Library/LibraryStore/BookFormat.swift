/// What an edition is printed as.
public enum BookFormat: String, Hashable, Sendable, CaseIterable {
  case hardcover
  case paperback
  case ebook
  case audiobook
  case other
}
