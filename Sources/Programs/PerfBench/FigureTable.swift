internal import Foundation
internal import PerfModel
internal import PerfRunner

/// Figures as they are measured, each beside its target and its peer; printed at once, written as
/// Markdown at the end.
final class FigureTable {
  /// A row of Markdown that belongs to a part of the benchmark.
  private struct Row {
    let part: String
    let line: String

    init(_ part: String, _ cells: String...) {
      self.part = part
      line = "| " + ([part] + cells).joined(separator: " | ") + " |"
    }

    /// Reads a row that was written before; nil for what is none.
    init?(line: Substring) {
      let cells = line.split(separator: "|", omittingEmptySubsequences: false)
      guard cells.count > 2, cells[0].isEmpty else { return nil }
      part = cells[1].trimmingCharacters(in: .whitespaces)
      self.line = String(line)
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
    func table(_ head: String, _ new: [Row]) -> String {
      let old = Self.rows(under: head, of: before).filter { !parts.contains($0.part) }
      let lines = order.flatMap { part in (old + new).filter { $0.part == part }.map(\.line) }
      return ([head] + lines).joined(separator: "\n")
    }
    let report = """
      # \(title)

      \(method); intervals are of 95 %.

      \(table(Self.provenanceHead, made))

      \(table(Self.figuresHead, rows))

      """
    try report.write(toFile: path, atomically: true, encoding: .utf8)
  }

  private func provenance(of part: String) -> Row {
    let command = CommandLine.arguments.dropFirst().joined(separator: " ")
    let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    func fact(_ key: Environment.Key) -> String { environment[key] ?? "unknown" }
    let machine = [
      fact(.cpuModel), "\(fact(.cpuCount)) CPUs", fact(.memoryTotal), fact(.kernel), fact(.system),
      "governor \(fact(.governor))", fact(.toolchain),
    ]
    return Row(
      part, "`Scripts/bench \(command)`", "\(now.short) UTC", String(fact(.commit).prefix(12)),
      fact(.loadAtStart), machine.joined(separator: ", "))
  }

  /// The rows of a table up to the empty line behind it.
  private static func rows(under head: String, of text: String) -> [Row] {
    guard let start = text.range(of: head + "\n")?.upperBound else { return [] }
    return text[start...].split(separator: "\n", omittingEmptySubsequences: false)
      .prefix { !$0.isEmpty }.compactMap { Row(line: $0) }
  }
}
