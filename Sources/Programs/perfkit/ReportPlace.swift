internal import PerfModel
internal import PerfReport

/// Where HTML reports go.
enum ReportPlace {
  /// Writes the report of a run, as `Reports/scroll-1000-optimised.html`.
  ///
  /// - Parameters:
  ///   - summary: The run.
  ///   - folder: Where; made when it is missing.
  ///   - context: What relative paths count from.
  /// - Returns: The path as the user would write it.
  /// - Throws: `Failure` when it cannot be written.
  static func write(
    _ summary: RunSummary, to folder: String, context: Context
  ) throws -> String {
    let path = "\(folder)/\(name(summary.run.scenario, summary.run.variant)).html"
    try context.write(try summary.document.html(), to: path)
    return path
  }

  /// Writes the report of a comparison, as `Reports/scroll-1000-naive-against-optimised.html`.
  ///
  /// That of two stored runs has their ids in its name: it must not take the place of one of pairs, which
  /// carries their launches.
  ///
  /// - Parameters:
  ///   - document: The comparison.
  ///   - folder: Where; made when it is missing.
  ///   - context: What relative paths count from.
  /// - Returns: The path as the user would write it.
  /// - Throws: `Failure` when it cannot be written.
  static func write(
    _ document: ComparisonDocument, to folder: String, context: Context
  ) throws -> String {
    let (base, candidate) = (document.comparison.base, document.comparison.candidate)
    let before = name(base.scenario, base.variant)
    let sides =
      if document.comparison.pairing == nil {
        "\(before)-\(base.run)-against-\(candidate.variant)-\(candidate.run)"
      } else if base.variant == candidate.variant {
        "\(before)-\(base.run)-against-\(candidate.run)"
      } else {
        "\(before)-against-\(candidate.variant)"
      }
    let path = "\(folder)/\(sides).html"
    try context.write(try document.html(), to: path)
    return path
  }

  private static func name(_ scenario: String, _ variant: String) -> String {
    "\(scenario)-\(variant)"
  }
}
