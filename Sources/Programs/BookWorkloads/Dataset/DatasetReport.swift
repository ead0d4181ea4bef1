/// Takes what the making of a data set has to say; any thread.
struct DatasetReport: Sendable {
  /// Something that the user should know of the books.
  struct Warning: Equatable, Sendable {
    let code: String
    let message: String
    let remedy: String
  }

  /// Takes the progress: of what, how much is done, of how much.
  let progress: @Sendable (_ label: String, _ done: Int, _ total: Int) -> Void
  /// Takes a warning.
  let warn: @Sendable (Warning) -> Void

  /// Creates a report.
  init(
    progress: @escaping @Sendable (_ label: String, _ done: Int, _ total: Int) -> Void = {
      _, _, _ in
    },
    warn: @escaping @Sendable (Warning) -> Void = { _ in }
  ) {
    self.progress = progress
    self.warn = warn
  }
}

extension DatasetReport.Warning {
  /// Some of the user's covers cannot be decoded.
  static func skippedCovers(_ skipped: [UserCovers.File], of count: Int, in folder: String) -> Self
  {
    let named = skipped.prefix(3).compactMap(\.reason).joined(separator: " ")
    return Self(
      code: "cover.skipped",
      message: "\(skipped.count) of \(count) covers in '\(folder)' are skipped: \(named)",
      remedy: "Replace or remove them.")
  }

  /// There are more books than asked for.
  static func booksLeftOut(limit: Int) -> Self {
    Self(
      code: "books.left_out", message: "only the first \(limit) books of your own are used",
      remedy: "Ask for more with --set books=N.")
  }

  /// There are fewer books than asked for.
  static func fewerBooks(_ count: Int, wanted: Int) -> Self {
    Self(
      code: "books.fewer", message: "your own library has \(count) books, not \(wanted)",
      remedy: "Compare it with runs of the same library only.")
  }

  /// Some of the user's books have no valid ISBN.
  static func withoutISBN(_ count: Int) -> Self {
    Self(
      code: "books.without_isbn", message: "\(count) books of your export have no valid ISBN",
      remedy: "They are kept without one.")
  }
}
