internal import Foundation
internal import PerfModel
internal import PerfRunner

/// Figures as they are measured, each beside its target and its peer; printed at once, written as
/// Markdown at the end.
final class FigureTable {
  /// A row of Markdown that belongs to a part of the benchmark.
  private struct Row {
    let part: String
    /// What stands behind the part, up to the end of the line.
    let rest: Substring

    init(_ part: String, _ cells: String...) {
      self.part = part
      rest = Substring(cells.joined(separator: " | ") + " |")
    }

    /// Reads a row that was written before, which may be of several parts; empty for what is none.
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
    | part | made by | on | commit | load | machine |
    |---|---|---|---|---|---|
    """
  private static let figuresHead = """
    | part | figure | target | measured | beside it | met |
    |---|---|---|---|---|---|
    """

  private var rows: [Row] = []
  private var parts: [String] = []
  /// The machine as it is before anything is measured.
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
  ///   - figure: What was measured.
  ///   - target: What it is held against.
  ///   - measured: What came of it.
  ///   - peer: The same of others.
  ///   - isMet: Whether it holds; nil where there is nothing to decide.
  func add(
    _ figure: String, target: String = "", measured: String, peer: String = "",
    isMet: Bool? = nil
  ) {
    let met = isMet.map { $0 ? "yes" : "**no**" } ?? ""
    rows.append(Row(parts.last ?? "", figure, target, measured, peer, met))
    print("  \(figure): \(measured)")
    if !target.isEmpty { print("      target \(target)\(isMet == false ? ", NOT MET" : "")") }
    if !peer.isEmpty { print("      beside it \(peer)") }
  }

  /// Writes the figures as Markdown, with the command and the machine that they come from.
  ///
  /// What a file of this kind has of parts that were not run now is kept, with where it came from.
  ///
  /// - Parameters:
  ///   - title: The heading.
  ///   - method: How it was measured, in one sentence without its full stop.
  ///   - order: All parts of the benchmark, in the order of the file.
  ///   - path: The file.
  /// - Throws: What Foundation throws of a file that cannot be written.
  func write(
    title: String, method: String = "Launches that are compared are interleaved in random order",
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

      \(method); intervals are of 95 %.

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

  /// The commit that is measured, in short.
  var commit: String { String(fact(.commit).prefix(12)) }

  /// The CPUs that it is measured on.
  var machine: String { "\(fact(.cpuModel)), \(fact(.cpuCount)) CPUs" }

  /// Date and time, of UTC.
  var now: String {
    Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)).short
  }

  private func fact(_ key: Environment.Key) -> String { environment[key] ?? "unknown" }

  /// One line for neighbours that come from the same run.
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

  /// The rows of a table up to the empty line behind it.
  private static func rows(under head: String, of text: String) -> [Row] {
    guard let start = text.range(of: head + "\n")?.upperBound else { return [] }
    return text[start...].split(separator: "\n", omittingEmptySubsequences: false)
      .prefix { !$0.isEmpty }.flatMap(Row.rows)
  }
}
