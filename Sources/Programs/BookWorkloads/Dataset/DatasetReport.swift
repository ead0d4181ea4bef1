internal import PerfWorkload

/// Receives progress and warnings while a data set is created; any thread.
struct DatasetReport: Sendable {
  /// A fact about the books that the user should know.
  struct Warning: Equatable, Sendable {
    let code: String
    let message: String
    let remedy: String
  }

  /// Receives the kind of the items and the numbers of finished and of all items.
  var progress: @Sendable (_ label: String, _ done: Int, _ total: Int) -> Void = { _, _, _ in }
  var warn: @Sendable (Warning) -> Void = { _ in }
}

extension DatasetReport {
  /// Creates a report that forwards to the harness.
  init(_ context: SetupContext) {
    self.init(
      progress: { label, done, total in context.progress(label, done: done, total: total) },
      warn: { context.warn(code: $0.code, message: $0.message, remedy: $0.remedy) })
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

  /// The export contains more books than requested.
  static func booksLeftOut(limit: Int) -> Self {
    Self(
      code: "books.left_out", message: "only the first \(limit) books of your export are used",
      remedy: "Use more with --set books=N.")
  }

  /// The export contains fewer books than requested.
  static func fewerBooks(_ count: Int, wanted: Int) -> Self {
    Self(
      code: "books.fewer", message: "your export contains \(count) books instead of \(wanted)",
      remedy: "Compare only runs with the same export.")
  }

  /// Some of the user's books have no valid ISBN.
  static func withoutISBN(_ count: Int) -> Self {
    Self(
      code: "books.without_isbn",
      message: "\(count) books of your export have no valid ISBN and are kept without one",
      remedy: "Correct the ISBNs if the books should be recognised.")
  }
}
