/// A program whose exports can be read, recognised by the names of the columns.
///
/// Sources of the names, all in test data or programs on GitHub:
/// - Goodreads: `bookwyrm/tests/data/goodreads.csv` of bookwyrm-social/bookwyrm.
/// - StoryGraph: `bookwyrm/tests/data/storygraph.csv` of the same repository.
/// - LibraryThing: `bookwyrm/tests/data/librarything.tsv` of the same repository.
/// - Calibre: `FIELDS` in `src/calibre/library/catalogs/__init__.py` of kovidgoyal/calibre; the
///   user chooses the columns.
public enum ExportFormat: String, Hashable, Sendable, CaseIterable {
  /// An export of Goodreads; its separator is a comma.
  case goodreads = "Goodreads"
  /// An export of The StoryGraph; its separator is a comma.
  case storyGraph = "StoryGraph"
  /// An export of LibraryThing; its separator is a tab or a comma.
  case libraryThing = "LibraryThing"
  /// A catalogue in CSV of Calibre; its separator is a comma.
  case calibre = "Calibre"

  /// Recognises the format of a header; another header is taken for a damaged one of Goodreads.
  init(header names: Set<String>) {
    if names.contains("isbn/uid") || names.isSuperset(of: ["authors", "read status"]) {
      self = .storyGraph
    } else if names.contains("primary author") {
      self = .libraryThing
    } else if names.contains("authors"), !names.contains("author") {
      self = .calibre
    } else {
      self = .goodreads
    }
  }

  /// The names of the columns that are read, in lower case.
  var columns: ExportColumns {
    switch self {
    case .goodreads:
      ExportColumns(
        required: ["Title", "Author", "ISBN13"], author: "author", isbn: ["isbn13", "isbn"],
        rating: "my rating", shelves: ["bookshelves"], added: "date added",
        years: ["year published", "original publication year"], binding: "binding",
        status: "exclusive shelf", finished: "date read")
    case .storyGraph:
      ExportColumns(
        required: ["Title", "Authors"], author: "authors", isbn: ["isbn/uid"],
        rating: "star rating", shelves: ["tags"], added: "date added", binding: "format",
        status: "read status", finished: "last date read")
    case .libraryThing:
      ExportColumns(
        required: ["Title", "Primary Author"], author: "primary author", isbn: ["isbns", "isbn"],
        rating: "rating", shelves: ["collections", "tags"], added: "entry date", years: ["date"],
        binding: "media", started: "date started", finished: "date read")
    case .calibre:
      ExportColumns(
        required: ["title", "authors"], author: "authors", isbn: ["identifiers", "isbn"],
        rating: "rating", shelves: ["tags"], added: "timestamp", years: ["pubdate"],
        binding: "formats")
    }
  }
}

/// The names of the columns of a format, in lower case; nil where the format has no such column.
struct ExportColumns {
  /// The columns without which a file is not an export, as the format writes them.
  let required: [String]
  let title = "title"
  let author: String
  /// The columns with numbers; the first valid ISBN counts.
  let isbn: [String]
  let rating: String
  let shelves: [String]
  /// The date when the reader added the book.
  let added: String
  /// The columns with the publication date; the first one with a year counts.
  var years: [String] = []
  /// The binding or the file formats.
  var binding: String?
  /// The exclusive shelf.
  var status: String?
  /// The date when the reader started the book.
  var started: String?
  /// The date when the reader finished the book.
  var finished: String?

  /// The columns with the reader's dates, which are all written in one form.
  var dates: [String] { [added, started, finished].compactMap(\.self) }
  /// The columns of which a second one of the same name would be ambiguous.
  var all: [String] {
    [title, author, rating] + isbn + shelves + dates + years + [binding, status].compactMap(\.self)
  }
}
