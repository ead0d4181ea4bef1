internal import Foundation
public import PerfModel

/// The launches in the HTML report of a run.
public enum ReportFile {
  /// A reason why a report cannot be read.
  public enum Failure: Error, Equatable, CustomStringConvertible {
    /// The file is no report of PerfKit.
    case foreign
    /// The report has no checksum, as those of older versions.
    case old
    case cutOff
    case edited
    /// The report, or its launches, have a form that this version does not know.
    case unknownForm(String, known: String)
    /// The report is that of a comparison.
    case comparison
    case damaged

    /// The cause and a remedy, after the name of the file.
    public var description: String {
      switch self {
      case .foreign: "is no report of PerfKit. Name the HTML report of a run."
      case .old:
        "has no checksum: an older perfkit wrote it, or its last line is missing. Write it again "
          + "with 'perfkit report'."
      case .cutOff: "was cut off: its end is missing. Copy it again from where it was written."
      case .edited:
        "was edited after perfkit wrote it, so its launches are not trusted. Take the original, or "
          + "write it again with 'perfkit report'."
      case .unknownForm(let form, let known):
        "has the form \(form), and this perfkit reads \(known). Install the version of perfkit that "
          + "wrote it, or a newer one."
      case .comparison:
        "is the report of a comparison. Name the report of a run; 'perfkit verify' computes the "
          + "verdict of a comparison again."
      case .damaged:
        "contains launches that cannot be read: the file is damaged. Write it again with "
          + "'perfkit report'."
      }
    }
  }

  /// The form of a page with a checksum.
  static let form = "perfkit.page/1"
  private static let opening = "<!-- perfkit.page/"
  /// The beginning of each page, up to the element by which a page is recognised.
  private static let beginning = """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    \(generator)
    """
  private static let generator = "<meta name=\"generator\" content=\"PerfKit\">"
  private static let attribute = "<template id=\"evidence-of-run\" data-run=\""

  /// Returns a page with a last line that has the checksum of the rest.
  static func sealed(_ page: String) -> String {
    "\(page)<!-- \(form) \(StableHash.text(of: page)) -->\n"
  }

  /// The element with the launches of a run.
  static func element(_ run: Run) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    // Every value is encodable, except for metrics that are not finite.
    guard let json = try? encoder.encode(RunEvidence(run)) else { return "" }
    return attribute + Markup.escape(String(decoding: json, as: UTF8.self)) + "\"></template>"
  }

  /// Returns the run of a report, without profile, frames and series.
  ///
  /// - Parameter report: The text of the HTML file.
  /// - Returns: The run.
  /// - Throws: `Failure` if the text is not a whole, unchanged report of a run.
  public static func run(in report: String) throws(Failure) -> Run {
    try check(report)
    return try evidence(in: report)
  }

  /// Compares a page with the checksum in its last line.
  ///
  /// - Throws: `Failure` if the text is no whole, unchanged page; `old` if it has no checksum.
  public static func check(_ report: String) throws(Failure) {
    guard let last = try seal(of: report) else { throw .old }
    let words = last.split(whereSeparator: \.isWhitespace)
    guard words[1] == form else { throw .unknownForm(String(words[1]), known: form) }
    let sealed = report.utf8.dropLast(last.utf8.count)
    guard StableHash.text(of: sealed) == words[2] else { throw .edited }
  }

  /// Returns the last line of a report, which has four words; nil if an older version wrote the report.
  private static func seal(of report: String) throws(Failure) -> Substring? {
    guard report.contains(generator) else {
      throw beginning.hasPrefix(report) ? .cutOff : .foreign
    }
    guard let start = report.range(of: opening, options: [.backwards, .literal])?.lowerBound else {
      guard report.suffix(100).trimmingCharacters(in: .newlines).hasSuffix("</html>") else {
        throw .cutOff
      }
      return nil
    }
    let seal = report[start...]
    let words = seal.split(maxSplits: 4, whereSeparator: \.isWhitespace)
    guard words.count >= 4, words[3] == "-->" else { throw .cutOff }
    guard words.count == 4 else { throw .edited }
    return seal
  }

  private static func evidence(in report: String) throws(Failure) -> Run {
    guard let start = report.firstRange(of: attribute),
      let end = report[start.upperBound...].firstIndex(of: "\"")
    else { throw .comparison }
    return try decoded(Markup.unescape(String(report[start.upperBound..<end])))
  }

  private struct Form: Decodable {
    let schema: String
  }

  private static func decoded(_ json: String) throws(Failure) -> Run {
    let decoder = JSONDecoder()
    let data = Data(json.utf8)
    guard let form = try? decoder.decode(Form.self, from: data).schema else { throw .damaged }
    guard form == RunEvidence.form else {
      throw .unknownForm(form, known: RunEvidence.form)
    }
    guard let run = try? decoder.decode(RunEvidence.self, from: data).run else { throw .damaged }
    return run
  }
}
