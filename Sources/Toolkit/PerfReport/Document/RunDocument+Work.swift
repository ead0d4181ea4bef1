internal import PerfModel

extension RunDocument {
  /// The functions with the most counted instructions; nil if the launches were timed.
  var workTable: Table? {
    guard let work = run.work, !work.functions.isEmpty else { return nil }
    let totals = work.instructionsByLaunch
    let launches = Wording.count(work.launches.count, "counted launch", "counted launches")
    let simulated: [(title: String, counts: KeyPath<WorkProfile.Function, [UInt64]?>)] = [
      ("data misses", \.dataMisses), ("branch misses", \.branchMisses),
    ]
    let misses = simulated.filter { kind in
      work.functions.contains { $0[keyPath: kind.counts] != nil }
    }
    let rows = work.functions.prefix(15).map { function -> [Table.Cell] in
      let cells: [Table.Cell] = [
        .init(Wording.share(Self.mean(function.instructions), of: Self.mean(totals)), .strong),
        .init(Self.number(function.instructions)),
        .init(Self.spread(function.instructions), .muted),
        .init(Self.number(function.calls)),
        .init(function.name), .init(TextWrapping.shortened(function.module ?? "", to: 20), .muted),
      ]
      let missCells = misses.map { kind -> Table.Cell in
        Table.Cell(function[keyPath: kind.counts].map(Self.number) ?? Wording.nothing)
      }
      return cells + missCells
    }
    let columns: [Table.Column] = [
      .init("self", .trailing), .init("instructions", .trailing), .init("differ by", .trailing),
      .init("calls", .trailing), .init("function", isFlexible: true), .init("module"),
    ]
    let missColumns = misses.map { Table.Column($0.title, .trailing, isDetail: true) }
    return Table(
      id: "work", title: "Functions with the most work", columns: columns + missColumns,
      rows: Array(rows),
      caption: "Means of \(launches), without callees. The launches differ by "
        + "\(Self.spread(totals)) in all instructions.")
  }

  private static func mean(_ values: [UInt64]) -> Double {
    values.reduce(0) { $0 + Double($1) } / Double(max(values.count, 1))
  }

  /// Returns the mean as an integer.
  private static func number(_ values: [UInt64]) -> String {
    NumberFormat.grouped(Int(clamping: UInt64(mean(values).rounded())))
  }

  /// Returns the largest minus the smallest value, relative to the mean.
  private static func spread(_ values: [UInt64]) -> String {
    guard values.count > 1, let low = values.min(), let high = values.max(), high > 0 else {
      return Wording.nothing
    }
    return NumberFormat.significant(Double(high - low) / mean(values) * 100, digits: 2) + "%"
  }
}

extension WorkProfile {
  /// The instructions of all functions, one number per counted launch.
  var instructionsByLaunch: [UInt64] {
    launches.indices.map { launch in
      functions.reduce(0) { $0 &+ $1.instructions[launch] }
    }
  }

  /// The launches and functions; numbers are per launch.
  var json: JSONValue {
    .object([
      "launches": .array(launches.map(JSONValue.int)),
      "functions": .array(functions.map(\.json)),
    ])
  }
}

extension WorkProfile.Function {
  /// The numbers per launch; those of misses only if they were simulated.
  fileprivate var json: JSONValue {
    func list(_ counts: [UInt64]) -> JSONValue { .array(counts.map(JSONValue.unsigned)) }
    var members: [String: JSONValue] = [
      "name": .string(name), "key": .string(key), "module": .optional(module),
      "instructions": list(instructions), "calls": list(calls),
    ]
    if let dataMisses { members["data_misses"] = list(dataMisses) }
    if let branchMisses { members["branch_misses"] = list(branchMisses) }
    return .object(members)
  }
}
