internal import LibraryStore
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

  /// The user's folder contains more covers than are read.
  static func coversNotRead(_ covers: UserCovers) -> Self {
    Self(
      code: "covers.not_read",
      message: "'\(covers.folder)' has too many covers: the last \(covers.leftOut) are not read",
      remedy: "Move the covers of your books to another folder.")
  }

  /// Some entries of the user's folder of pictures are not used.
  static func leftOutPictures(_ counts: [(count: Int, what: String)], in folder: String) -> Self {
    let parts = counts.filter { $0.count > 0 }.map { "\($0.count) \($0.what)" }
    return Self(
      code: "pictures.left_out",
      message: "not all of '\(folder)' is used: \(parts.joined(separator: "; "))",
      remedy: "Use more pictures with --set count=N; replace or remove the others.")
  }

  /// There are fewer pictures than requested.
  static func fewerPictures(_ count: Int, wanted: Int) -> Self {
    Self(
      code: "pictures.fewer", message: "there are \(count) pictures instead of \(wanted)",
      remedy: "Compare only runs with the same pictures.")
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

  /// The folder contains more covers than requested.
  static func coversLeftOut(limit: Int, in folder: String) -> Self {
    Self(
      code: "covers.left_out", message: "only the first \(limit) covers of '\(folder)' are used",
      remedy: "Use more with --set books=N.")
  }

  /// The folder contains fewer usable covers than requested.
  static func fewerCovers(_ count: Int, wanted: Int, in folder: String) -> Self {
    Self(
      code: "covers.fewer",
      message: "'\(folder)' contains \(count) usable covers, so there are \(count) books "
        + "instead of \(wanted)",
      remedy: "Compare only runs with the same covers.")
  }

  /// Some rows of the user's export are malformed.
  static func skippedRows(_ skipped: SkippedRows, of path: String) -> Self {
    let shown = skipped.first.map { "\($0)" }.joined(separator: " ")
    let rest = skipped.count - skipped.first.count
    return Self(
      code: "rows.skipped",
      message: "\(skipped.count) \(skipped.count == 1 ? "row" : "rows") of '\(path)' "
        + "\(skipped.count == 1 ? "is" : "are") skipped: \(shown)"
        + (rest > 0 ? " \(rest) more rows are not shown." : ""),
      remedy: "Correct them, or stop at the first one with --set rows=stop.")
  }

  /// Some rows of the user's export are not UTF-8.
  static func inWindows1252(_ count: Int, of path: String) -> Self {
    Self(
      code: "rows.windows_1252",
      message: "\(count) rows of '\(path)' are not UTF-8 and were read as Windows-1252",
      remedy: "If their accents are wrong, save the file as UTF-8.")
  }

  /// The workload does not read the user's export.
  static let unusedExport = Self(
    code: "export.unused", message: "the source of the books is not your export",
    remedy: "Use a variant with 'source: csv'.")

  /// Some of the user's books have no valid ISBN.
  static func withoutISBN(_ count: Int) -> Self {
    Self(
      code: "books.without_isbn",
      message: "\(count) books of your export have no valid ISBN and are kept without one",
      remedy: "Correct the ISBNs if the books should be recognised.")
  }
}
