internal import PerfModel
internal import PerfStatistics

/// The functions whose allocations changed.
extension ComparisonDocument {
  /// The functions that explain a change of the number of allocations or of their bytes, with their
  /// callers; nil if no metric of allocations changed or no function is certain.
  var allocationSentence: String? {
    guard comparison.verdict != .void, let allocations = comparison.allocations else { return nil }
    let counts = [MetricName.benchmarkAllocations, MetricName.allocCount]
    return Self.sentence(on: allocations.counts, .count, rise: rise(ofAny: counts))
      ?? Self.sentence(on: allocations.bytes, .size, rise: rise(ofAny: [MetricName.allocBytes]))
  }

  /// Returns the change of the first of these metrics that regressed or improved; nil if none did.
  private func rise(ofAny names: [String]) -> Double? {
    names.lazy.compactMap { name in
      comparison.metrics.first {
        $0.definition.name == name && ($0.verdict == .regressed || $0.verdict == .improved)
      }?.estimate
    }.first
  }

  /// Returns a sentence on the functions that changed like a metric; nil if there are none.
  ///
  /// For example: "More allocations in parse(), called by load() (about +100 per launch)." It has at most three
  /// functions, without those below a tenth of the largest change.
  private static func sentence(
    on functions: [AllocationComparison.Function], _ dimension: Dimension, rise: Double?
  ) -> String? {
    guard let rise else { return nil }
    let changed = functions.filter {
      $0.change.isSignificant && ($0.change.difference > 0) == (rise > 0)
    }
    guard let first = changed.first else { return nil }
    let least = first.change.difference.magnitude / 10
    let named = changed.prefix(3).filter { $0.change.difference.magnitude >= least }.map {
      function in
      let (change, callers) = (function.change, function.callers)
      return change.name
        + (callers.isEmpty ? "" : ", called by \(Wording.list(firstOf: callers))")
        + " (about \(NumberFormat.humanChange(change.difference, dimension)) per launch"
        + (change.isTouched ? ", near changed lines)" : ")")
    }
    let (more, fewer) =
      dimension == .count
      ? ("More allocations", "Fewer allocations")
      : ("More memory allocated", "Less memory allocated")
    return "\(rise > 0 ? more : fewer) in \(named.joined(separator: "; in "))."
  }

  /// The functions whose allocations changed significantly; nil if there are none.
  var allocationTable: Table? {
    guard let allocations = comparison.allocations else { return nil }
    func rows(
      _ functions: [AllocationComparison.Function], _ dimension: Dimension
    ) -> [[Table.Cell]] {
      functions.filter(\.change.isSignificant).prefix(12).map {
        $0.change.row(dimension, callers: $0.callers)
      }
    }
    let groups = [
      Table.Group(title: "number", rows: rows(allocations.counts, .count)),
      Table.Group(title: "memory", rows: rows(allocations.bytes, .size)),
    ]
    guard groups.contains(where: { !$0.rows.isEmpty }) else { return nil }
    return Table(
      id: "allocations", title: "Allocations that changed, per launch",
      columns: [
        .init("base", .trailing), .init("candidate", .trailing), .init("difference", .trailing),
        .init("source"), .init("function", isFlexible: true),
        .init("called by", isFlexible: true),
        .init("interval", .trailing, isDetail: true), .init("q", .trailing, isDetail: true),
      ],
      groups: groups,
      caption:
        "Estimated from samples. Allocations in libraries count for the function of the program that "
        + "called them. "
        + (comparison.pairing == nil
          ? "At most 5 % of the names are false on average."
          : "At most 5 % of comparisons have a false name, by number and by memory each."))
  }
}
