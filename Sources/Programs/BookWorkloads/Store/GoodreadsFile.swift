internal import LibraryStore

/// Writes books as a Goodreads export with the columns of 2024.
struct GoodreadsFile {
  private static let header = """
    Book Id,Title,Author,Author l-f,Additional Authors,ISBN,ISBN13,My Rating,Average Rating,\
    Publisher,Binding,Number of Pages,Year Published,Original Publication Year,Date Read,Date Added,\
    Bookshelves,Bookshelves with positions,Exclusive Shelf,My Review,Spoiler,Private Notes,\
    Read Count,Owned Copies

    """

  /// Returns an export of generated books, with the reader's edition first.
  static func text(books count: Int, seed: UInt64) -> String {
    let generator = BookGenerator(seed: seed)
    var text = header
    for index in 0..<count {
      row(of: generator.book(index, cover: ""), index, to: &text)
      text += "\n"
    }
    return text
  }

  private static func row(of book: NewBook, _ index: Int, to text: inout String) {
    let edition = book.editions.first
    let entry = book.userEntry
    let year = (edition?.publicationDate.prefix(4)).map(String.init) ?? ""
    let shelves = (entry?.shelves ?? []).joined(separator: ", ")
    let fields = [
      "\(1_000_000 + index)", quoted(book.title), quoted(book.author), quoted(book.author), "",
      quoted("=\"\""), quoted("=\"\(edition?.isbn?.description ?? "")\""), "\(entry?.rating ?? 0)",
      "3.9\(index % 10)", quoted("Publisher, \(index % 90)"), binding(of: edition),
      "\(120 + index % 700)", year, year, "",
      "20\(10 + index % 15)/0\(1 + index % 9)/1\(index % 10)",
      quoted(shelves), quoted(shelves), entry?.status.rawValue ?? "to-read",
      index.isMultiple(of: 11) ? quoted("A \"good\" one,\nread twice.") : "", "", "", "1", "0",
    ]
    text += fields.joined(separator: ",")
  }

  private static func quoted(_ text: String) -> String {
    "\"\(text.replacing("\"", with: "\"\""))\""
  }

  private static func binding(of edition: EditionDetails?) -> String {
    switch edition?.format {
    case .hardcover: "Hardcover"
    case .paperback: "Paperback"
    case .ebook: "Kindle Edition"
    case .audiobook: "Audiobook"
    case .other, nil: ""
    }
  }
}
