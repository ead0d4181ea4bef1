internal import PerfWorkload

extension DatasetRequest {
  /// Returns the parameters that every workload on books takes, with a number of books to begin with.
  static func parameters(
    books: Int, in range: ClosedRange<Int> = 1...10_000
  ) -> [ParameterDeclaration] {
    [
      .int("books", default: books, in: range, "Books in the library, at most."),
      .choice("sizes", default: CoverSizes.real, "Sizes of the made-up covers."),
      .string("covers", default: "", "Folder of your own covers; made-up ones when empty."),
      .string("csv", default: "", "Your own Goodreads export; made-up books when empty."),
    ]
  }

  /// Reads a request from the parameters that `parameters(books:in:)` declares.
  init(_ parameters: ParameterValues, seed: UInt64) throws {
    self.init(
      books: try parameters.int("books"), seed: seed, sizes: try parameters.choice("sizes"),
      covers: try parameters.string("covers"), csv: try parameters.string("csv"))
  }
}
