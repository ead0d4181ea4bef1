internal import PerfModel

extension FlameData {
  /// Nodes of a flame graph in a page; what is less is charged to its caller.
  private static let nodeLimit = 40_000

  /// What a page says of a tree that is too large for it; empty for others.
  var pruningNote: String {
    guard parents.count > Self.nodeLimit else { return "" }
    return " The tree has \(NumberFormat.grouped(parents.count)) nodes; all but the "
      + "\(NumberFormat.grouped(Self.nodeLimit)) heaviest are charged to their callers."
  }

  /// Returns the tree as the page's script reads it.
  ///
  /// - Parameter significant: Keys of functions whose change is shown to be real, or nil.
  /// - Returns: JSON with weights in nanoseconds, or bytes, of one launch; of two runs those of time
  ///   alone, as `significant` is about that.
  func json(significant: Set<String>? = nil) -> String {
    (isDifference ? ofTime : self).pruned(to: Self.nodeLimit).encoded(significant: significant)
  }

  private func encoded(significant: Set<String>?) -> String {
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
    let sorted = rows.sorted { $0.key.order.lexicographicallyPrecedes($1.key.order) }
    let numbers = sorted.flatMap { row, weights in
      row.order + [weights.base, weights.candidate].map(Self.written)
    }
    let members: [(String, String)] = [
      ("functions", JSONValue.array(functions).text(isIndented: false)),
      ("parents", Self.list(parents)),
      ("nodes", Self.list(functionOfNode)),
      ("threads", JSONValue.array(threads.map(JSONValue.string)).text(isIndented: false)),
      ("phases", JSONValue.array(phases.map(JSONValue.string)).text(isIndented: false)),
      ("signposts", JSONValue.array(signposts.map(JSONValue.string)).text(isIndented: false)),
      ("difference", isDifference ? "true" : "false"),
      ("real", real.map(Self.list) ?? "null"),
      ("rows", Self.list(numbers)),
    ]
    return "{" + members.map { "\"\($0)\":\($1)" }.joined(separator: ",\n") + "}"
  }

  /// A sample must not vanish by rounding.
  private static func written(_ weight: Double) -> Int {
    weight > 0 ? max(1, Int(nearest: weight)) : 0
  }

  private static func list(_ numbers: [Int]) -> String {
    "[" + numbers.map(String.init).joined(separator: ",") + "]"
  }
}

extension FlameData.Row {
  /// The numbers that a row is written and sorted by.
  fileprivate var order: [Int] {
    [node, thread, phase, signpost, frameClass.rawValue, state.rawValue]
  }
}
