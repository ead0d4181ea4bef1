internal import Foundation
internal import PerfModel
internal import PerfRunner

/// Figures as they are measured, each beside its target and its peer; printed at once, written as
/// Markdown at the end.
final class FigureTable {
  /// A figure with what it is held against.
  struct Row {
    let part: String
    let figure: String
    let target: String
    let measured: String
    let peer: String
    /// Nil where there is nothing to decide.
    let isMet: Bool?
  }

  private(set) var rows: [Row] = []
  private var part = ""
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
    self.part = part
    print("\n\(part)")
  }

  /// Adds a figure and prints it.
  func add(
    _ figure: String, target: String = "", measured: String, peer: String = "",
    isMet: Bool? = nil
  ) {
    rows.append(
      Row(
        part: part, figure: figure, target: target, measured: measured, peer: peer, isMet: isMet))
    print("  \(figure): \(measured)")
    if !target.isEmpty { print("      target \(target)\(isMet == false ? ", NOT MET" : "")") }
    if !peer.isEmpty { print("      beside it \(peer)") }
  }

  /// Writes the figures as Markdown, with the command and the machine that they come from.
  func write(
    title: String, method: String = "Launches that are compared are interleaved in random order",
    to path: String
  ) throws {
    let command = CommandLine.arguments.dropFirst().joined(separator: " ")
    let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    let keys: [Environment.Key] = [
      .cpuModel, .cpuCount, .memoryTotal, .kernel, .system, .governor, .toolchain, .commit,
      .loadAtStart,
    ]
    let facts = keys.map { "| \($0.rawValue) | \(environment[$0] ?? "unknown") |" }
    let report = """
      # \(title)

      Made by `Scripts/bench \(command)` on \(now.short) UTC.
      \(method); intervals are of 95 %.

      | machine | |
      |---|---|
      \(facts.joined(separator: "\n"))

      \(table)
      """
    try report.write(toFile: path, atomically: true, encoding: .utf8)
  }

  private var table: String {
    let lines = rows.map { row in
      let met = row.isMet.map { $0 ? "yes" : "**no**" } ?? ""
      return
        "| \(row.part) | \(row.figure) | \(row.target) | \(row.measured) | \(row.peer) | \(met) |"
    }
    return
      (["| part | figure | target | measured | beside it | met |", "|---|---|---|---|---|---|"]
      + lines)
      .joined(separator: "\n") + "\n"
  }
}
