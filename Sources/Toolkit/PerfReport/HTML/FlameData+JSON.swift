internal import PerfModel

extension FlameData {
  /// The maximum number of nodes of a flame graph in a page.
  private static let nodeLimit = 40_000

  /// A note on a tree that was reduced; empty for others.
  var pruningNote: String {
    guard parents.count > Self.nodeLimit else { return "" }
    return " The tree has \(NumberFormat.grouped(parents.count)) nodes; only the "
      + "\(NumberFormat.grouped(Self.nodeLimit)) heaviest are shown, the others are charged to their "
      + "callers."
  }

  /// The tree that a page contains: at most 40,000 nodes, and for a comparison the time of threads only,
  /// because significance is about time.
  var forPage: FlameData {
    (isDifference ? ofThreads : self).pruned(to: Self.nodeLimit)
  }

  /// The numbers of the rows in the page.
  var rowNumbers: [Row: Int] {
    Dictionary(uniqueKeysWithValues: sortedRows.enumerated().map { ($1.key, $0) })
  }

  private var sortedRows: [(key: Row, value: Weights)] {
    rows.map { (order: $0.key.order, row: $0) }
      .sorted { $0.order.lexicographicallyPrecedes($1.order) }.map(\.row)
  }

  /// Returns the tree of a page as JSON for its script.
  ///
  /// - Parameters:
  ///   - significant: Keys of functions with significant changes, or nil.
  ///   - sources: The source lines in the page.
  /// - Returns: JSON with weights in nanoseconds or bytes per launch.
  func json(significant: Set<String>? = nil, sources: [SourceListing] = []) -> String {
    forPage.encoded(significant: significant, sources: sources)
  }

  private func encoded(significant: Set<String>?, sources: [SourceListing]) -> String {
    let places = Dictionary(sources.map { ($0.key, $0.id) }) { first, _ in first }
    let functions = functions.map { function -> JSONValue in
      .array([
        .string(function.name), .string(function.module),
        .int(ModuleKind(module: function.module).rawValue),
        .int(FlamePalette.shade(function.name)),
      ])
    }
    let real = significant.map { keys in
      self.functions.indices.filter { keys.contains(self.functions[$0].key) }
    }
    let numbers = sortedRows.flatMap { row, weights in
      row.order + [weights.base, weights.candidate].map(Self.written)
    }
    let members: [(String, String)] = [
      ("functions", JSONValue.array(functions).text(isIndented: false)),
      ("parents", Self.list(parents)),
      ("nodes", Self.list(functionOfNode)),
      ("threads", Self.list(threads)), ("phases", Self.list(phases)),
      ("signposts", Self.list(signposts)), ("difference", "\(isDifference)"),
      ("measure", JSONValue.string(measure.name).text(isIndented: false)),
      ("dimension", JSONValue.string(measure.dimension.rawValue).text(isIndented: false)),
      ("perLaunch", "\(isPerLaunch)"),
      ("real", real.map(Self.list) ?? "null"),
      (
        "sources",
        JSONValue.array(sources.isEmpty ? [] : self.functions.map { .optional(places[$0.key]) })
          .text(isIndented: false)
      ),
      ("rows", Self.list(numbers)),
    ]
    return "{" + members.map { "\"\($0)\":\($1)" }.joined(separator: ",\n") + "}"
  }

  /// Returns a weight rounded to an integer, at least 1 for a positive weight.
  private static func written(_ weight: Double) -> Int {
    weight > 0 ? max(1, Int(nearest: weight)) : 0
  }

  private static func list(_ names: [String]) -> String {
    JSONValue.array(names.map(JSONValue.string)).text(isIndented: false)
  }

  private static func list(_ numbers: [Int]) -> String {
    "[" + numbers.map(String.init).joined(separator: ",") + "]"
  }
}

extension FlameData.Row {
  /// The numbers by which a row is stored and sorted.
  fileprivate var order: [Int] {
    [node, thread, phase, signpost, frameClass.rawValue, state.rawValue]
  }
}
