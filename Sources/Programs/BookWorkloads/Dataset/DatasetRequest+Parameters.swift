internal import PerfWorkload

extension DatasetRequest {
  static let books = books(default: 1_000)
  static let sizes = Parameter(
    "sizes", default: CoverSizes.real, "Sizes of the generated covers.")
  static let covers = Parameter(
    "covers", default: "", "Folder of your covers; empty for generated covers.")
  static let csv = Parameter(
    "csv", default: "", "Your Goodreads export; empty for generated books.")

  /// Returns the parameters of a workload that reads books.
  ///
  /// - Parameters:
  ///   - books: The default number of books.
  ///   - range: The allowed numbers of books.
  /// - Returns: The parameters, in the order of the list.
  static func parameters(
    books: Int, in range: ClosedRange<Int> = 1...10_000
  ) -> [any WorkloadParameter] {
    [Self.books(default: books, in: range), sizes, covers, csv]
  }

  private static func books(
    default books: Int, in range: ClosedRange<Int> = 1...10_000
  ) -> Parameter<Int> {
    Parameter("books", default: books, in: range, "Largest number of books in the library.")
  }

  /// Reads a request from the parameters that `parameters(books:in:)` declares.
  init(_ parameters: ParameterValues, seed: UInt64) {
    self.init(
      books: parameters[Self.books], seed: seed, sizes: parameters[Self.sizes],
      covers: parameters[Self.covers], csv: parameters[Self.csv])
  }
}
