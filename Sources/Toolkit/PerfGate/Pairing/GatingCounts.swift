internal import PerfModel
internal import PerfStatistics

/// The numbers of gating metrics in a whole invocation, which share its error.
public struct GatingCounts: Sendable {
  /// The metrics of the pairs; those of a gate that counted metrics decide alone do not gate.
  let timed: Int
  /// The counted metrics.
  let counted: Int

  /// Counts the gating metrics of comparisons.
  public init(of sides: [PairedSides], _ settings: PairingSettings) {
    func sum(_ count: (PairedSides) -> Int) -> Int { sides.reduce(0) { $0 + count($1) } }
    self.init(
      timed: sum { $0.isDecidedByWorkAlone(settings) ? 0 : $0.gating.count },
      counted: sum { $0.countsWork(settings) ? $0.fullGate.counted.metrics.count : 0 })
  }

  init(timed: Int, counted: Int = 0) {
    (self.timed, self.counted) = (timed, counted)
  }

  /// The number of metrics that the design of a comparison states; at least 1.
  var gatingCount: Int { max(1, timed) }

  /// All gating metrics.
  public var all: Int { timed + counted }

  /// Whether work has half of the error.
  var isShared: Bool { counted > 0 && timed > 0 }

  /// The number of pairs at the first look.
  func firstLook() throws -> Int {
    try LookSchedule(metrics: isShared ? 2 * gatingCount : gatingCount).looks[0].pairs
  }
}
