internal import Foundation
public import PerfModel

/// The launches in the HTML report of a run.
public enum ReportFile {
  /// A reason why a report cannot be read.
  public enum Failure: Error, Equatable, CustomStringConvertible {
    /// The file is no report of PerfKit.
    case foreign
    /// The report was written before reports of runs contained launches.
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
        "contains no launches, because an older perfkit wrote it. Write it again with "
          + "'perfkit report'."
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
    guard let last = try seal(of: report) else { throw .old }
    let words = last.split(whereSeparator: \.isWhitespace)
    guard words[1] == form else { throw .unknownForm(String(words[1]), known: form) }
    let sealed = report.utf8.dropLast(last.utf8.count)
    guard StableHash.text(of: sealed) == words[2] else { throw .edited }
    return try evidence(in: report)
  }

  /// Returns whether a text is the beginning of a report of PerfKit without its end.
  public static func isCutOff(_ report: String) -> Bool {
    do {
      _ = try seal(of: report)
      return false
    } catch {
      return error == .cutOff
    }
  }

  /// Returns the last line of a report, which has four words; nil if an older version wrote the report.
  private static func seal(of report: String) throws(Failure) -> Substring? {
    guard report.contains(generator) else {
      throw beginning.hasPrefix(report) ? .cutOff : .foreign
    }
    let end = String(decoding: report.utf8.suffix(100), as: UTF8.self)
    guard let start = end.firstRange(of: opening)?.lowerBound else {
      guard end.trimmingCharacters(in: .newlines).hasSuffix("</html>") else { throw .cutOff }
      return nil
    }
    let seal = end[start...]
    let words = seal.split(whereSeparator: \.isWhitespace)
    guard words.count == 4, words[3] == "-->" else { throw .cutOff }
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
