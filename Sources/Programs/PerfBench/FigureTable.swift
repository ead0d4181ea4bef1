internal import Foundation

/// Figures as they are measured, each beside its target and its peer; printed at once, written as
/// Markdown at the end.
final class FigureTable {
  /// A figure with what it is held against.
  struct Row {
    let figure: String
    let target: String
    let measured: String
    let peer: String
    /// Nil where there is nothing to decide.
    let isMet: Bool?
  }

  private(set) var rows: [Row] = []

  /// Adds a figure and prints it.
  func add(
    _ figure: String, target: String = "", measured: String, peer: String = "",
    isMet: Bool? = nil
  ) {
    rows.append(
      Row(figure: figure, target: target, measured: measured, peer: peer, isMet: isMet))
    print("  \(figure): \(measured)")
    if !target.isEmpty { print("      target \(target)\(isMet == false ? ", NOT MET" : "")") }
    if !peer.isEmpty { print("      beside it \(peer)") }
  }

  /// The figures as a Markdown table.
  var markdown: String {
    let lines = rows.map { row in
      let met = row.isMet.map { $0 ? "yes" : "**no**" } ?? ""
      return "| \(row.figure) | \(row.target) | \(row.measured) | \(row.peer) | \(met) |"
    }
    return (["| figure | target | measured | beside it | met |", "|---|---|---|---|---|"] + lines)
      .joined(separator: "\n") + "\n"
  }
}
