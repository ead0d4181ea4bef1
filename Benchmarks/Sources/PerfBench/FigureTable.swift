internal import Foundation
internal import PerfModel
internal import PerfRunner

/// A table of measured figures with targets and comparisons, printed at once and written as
/// Markdown.
final class FigureTable {
  /// A Markdown row that belongs to a part of the benchmark.
  private struct Row {
    let part: String
    /// The cells after the part, up to the end of the line.
    let rest: Substring

    init(_ part: String, _ cells: String...) {
      self.part = part
      rest = Substring(cells.joined(separator: " | ") + " |")
    }

    /// Reads a row of an earlier file, which may belong to several parts; empty for other lines.
    static func rows(_ line: Substring) -> [Row] {
      guard line.hasPrefix("| "), let end = line.range(of: " | ") else { return [] }
      let parts = line[..<end.lowerBound].dropFirst(2).split(separator: ", ")
      return parts.map { Row(part: String($0), rest: line[end.upperBound...]) }
    }

    private init(part: String, rest: Substring) {
      (self.part, self.rest) = (part, rest)
    }
  }

  private static let provenanceHead = """
    | part | command | date | commit | load | machine |
    |---|---|---|---|---|---|
    """
  private static let figuresHead = """
    | part | figure | target | measured | compared with | met |
    |---|---|---|---|---|---|
    """

  private var rows: [Row] = []
  private var parts: [String] = []
  /// The machine before the measurements.
  private let environment: Environment = {
    var facts = EnvironmentProbe(
      directory: FileManager.default.currentDirectoryPath,
      variables: ProcessInfo.processInfo.environment
    ).environment()
    facts[.toolchain] = BenchWorkshop.toolchain
    return facts
  }()

  /// Begins a part of the benchmark.
  func begin(_ part: String) {
    parts.append(part)
    print("\n\(part)")
  }

  /// Adds a figure and prints it.
  ///
  /// - Parameters:
  ///   - figure: The name of the figure.
  ///   - target: The target of the figure.
  ///   - measured: The measured value.
  ///   - peer: The values of other tools or settings.
  ///   - isMet: Whether the target is met; nil without a target.
  func add(
    _ figure: String, target: String = "", measured: String, peer: String = "",
    isMet: Bool? = nil
  ) {
    let met = isMet.map { $0 ? "yes" : "**no**" } ?? ""
    rows.append(Row(parts.last ?? "", figure, target, measured, peer, met))
    print("  \(figure): \(measured)")
    if !target.isEmpty { print("      target \(target)\(isMet == false ? ", NOT MET" : "")") }
    if !peer.isEmpty { print("      compared with \(peer)") }
  }

  /// Writes the figures as Markdown with the command and the machine that produced them.
  ///
  /// The figures of parts that were not run now are kept from an earlier file, with their origin.
  ///
  /// - Parameters:
  ///   - title: The heading.
  ///   - method: The method in one sentence without a full stop.
  ///   - order: All parts of the benchmark, in the order of the file.
  ///   - path: The file.
  /// - Throws: Foundation's error for an unwritable file.
  func write(
    title: String, method: String = "Compared launches are interleaved in random order",
    order: [String], to path: String
  ) throws {
    let before = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    let made = parts.map { provenance(of: $0) }
    func sorted(_ head: String, _ new: [Row]) -> [Row] {
      let old = Self.rows(under: head, of: before).filter { !parts.contains($0.part) }
      return order.flatMap { part in (old + new).filter { $0.part == part } }
    }
    let figures = sorted(Self.figuresHead, rows).map { "| \($0.part) | \($0.rest)" }
    let report = """
      # \(title)

      \(method). Intervals have a confidence of 95 %.

      \(Self.provenanceHead)
      \(Self.together(sorted(Self.provenanceHead, made)).joined(separator: "\n"))

      \(Self.figuresHead)
      \(figures.joined(separator: "\n"))

      """
    try report.write(toFile: path, atomically: true, encoding: .utf8)
  }

  private func provenance(of part: String) -> Row {
    let command = CommandLine.arguments.dropFirst().joined(separator: " ")
    let all = [
      machine, fact(.memoryTotal), fact(.kernel), fact(.system), "governor \(fact(.governor))",
      fact(.toolchain),
    ]
    return Row(
      part, "`Scripts/bench \(command)`", "\(now) UTC", commit, fact(.loadAtStart),
      all.joined(separator: ", "))
  }

  /// The measured commit in short form.
  var commit: String { String(fact(.commit).prefix(12)) }

  /// The CPUs of the measurements.
  var machine: String { "\(fact(.cpuModel)), \(fact(.cpuCount)) CPUs" }

  /// The date and time in UTC.
  var now: String {
    Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)).short
  }

  private func fact(_ key: Environment.Key) -> String { environment[key] ?? "unknown" }

  /// Joins neighbouring rows of one run into one line.
  private static func together(_ rows: [Row]) -> [String] {
    var groups: [(parts: [String], rest: Substring)] = []
    for row in rows {
      if groups.last?.rest == row.rest {
        groups[groups.count - 1].parts.append(row.part)
      } else {
        groups.append(([row.part], row.rest))
      }
    }
    return groups.map { "| \($0.parts.joined(separator: ", ")) | \($0.rest)" }
  }

  /// Returns the rows of a table up to the next empty line.
  private static func rows(under head: String, of text: String) -> [Row] {
    guard let start = text.range(of: head + "\n")?.upperBound else { return [] }
    return text[start...].split(separator: "\n", omittingEmptySubsequences: false)
      .prefix { !$0.isEmpty }.flatMap(Row.rows)
  }
}
