internal import Foundation
internal import PerfGate
internal import PerfModel
internal import PerfReport

/// The runs in HTML reports, which `perfkit compare` reads instead of a store.
enum ReportRuns {
  /// Returns whether an argument names an HTML report, which no name of a stored run resembles.
  static func isReport(_ reference: String) -> Bool { reference.hasSuffix(".html") }

  /// Returns the run of a report.
  ///
  /// - Throws: `Failure` if the argument names no report, or the report cannot be read.
  static func run(_ path: String, _ context: Context) throws(Failure) -> Run {
    guard isReport(path) else {
      throw Failure(
        "'\(path)' is no HTML report, and the other argument is one. Name two HTML reports, or two "
          + "stored runs.", status: .usage)
    }
    // A file that was cut off may end within a character.
    let text = String(decoding: try context.read(path), as: UTF8.self)
    do {
      return try ReportFile.run(in: text)
    } catch {
      throw Failure("cannot compare '\(path)': it \(error)")
    }
  }
}
