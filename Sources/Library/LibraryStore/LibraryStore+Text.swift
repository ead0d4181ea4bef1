extension LibraryStore {
  /// Rejects texts that SQLite would truncate.
  ///
  /// - Throws: `nulInText`.
  func checkText(_ book: NewBook) throws(LibraryError) {
    try check(book.title)
    try check(book.author)
    for edition in book.editions { try checkText(edition) }
    if let entry = book.userEntry { try checkText(entry) }
  }

  func checkText(_ edition: EditionDetails) throws(LibraryError) {
    try check(edition.publicationDate)
    if let cover = edition.cover { try check(cover) }
  }

  func checkText(_ entry: UserEntryDetails) throws(LibraryError) {
    for shelf in entry.shelves { try check(shelf) }
  }

  private func check(_ text: String) throws(LibraryError) {
    if text.utf8.contains(0) { throw .nulInText(path: path, text: text) }
  }
}
