extension LookSchedule {
  /// The level of each of the first looks.
  struct Boundary: Sendable {
    /// The two-sided error over all looks.
    let error: Double
    /// The number of pairs at the first look, large enough to reach the level.
    let first: Int
    /// The two-sided error of each of the first looks.
    let level: Double

    /// Creates the boundary for metrics that share an error of 2 % equally.
    init(metrics: Int, first: Int, level: Double) {
      error = 0.02 / Double(metrics)
      self.first = first
      self.level = level
    }
  }

  /// The levels for changes, by descending error: half of the error is spent at the first looks.
  ///
  /// `Scripts/bench evidence --boundaries` creates them from 3,000,000 simulated comparisons each,
  /// whose seeds are 1000 times the first look plus 0 to 19.
  static let boundaries = [
    Boundary(metrics: 1, first: 11, level: 0.0029080943877488608),
    Boundary(metrics: 2, first: 11, level: 0.001416526734828949),
    Boundary(metrics: 3, first: 12, level: 0.0009657368063926697),
    Boundary(metrics: 4, first: 12, level: 0.0007076263427734375),
    Boundary(metrics: 5, first: 12, level: 0.0005833879113197327),
    Boundary(metrics: 6, first: 13, level: 0.0004794529413629789),
    Boundary(metrics: 7, first: 13, level: 0.0003814026713371277),
    Boundary(metrics: 8, first: 13, level: 0.0003418475389480591),
    Boundary(metrics: 9, first: 13, level: 0.00029818139228154905),
    Boundary(metrics: 10, first: 13, level: 0.00024816789118631277),
    Boundary(metrics: 11, first: 14, level: 0.00026391974461148493),
    Boundary(metrics: 12, first: 14, level: 0.000244140625),
    Boundary(metrics: 15, first: 14, level: 0.000209808349609375),
    Boundary(metrics: 20, first: 14, level: 0.0001353248953819275),
    Boundary(metrics: 25, first: 15, level: 0.00011970102787017822),
    Boundary(metrics: 30, first: 15, level: 0.00010100967301696073),
    Boundary(metrics: 40, first: 15, level: 6.318092346191406e-05),
    Boundary(metrics: 50, first: 16, level: 5.845885789312888e-05),
    Boundary(metrics: 75, first: 16, level: 3.62396240234375e-05),
    Boundary(metrics: 100, first: 17, level: 2.6702880859375e-05),
    Boundary(metrics: 150, first: 18, level: 1.805902866180986e-05),
    Boundary(metrics: 200, first: 18, level: 1.3217835657997057e-05),
  ]

  /// The levels for equivalence with an error of 3 % over the first looks, by the first one.
  static let equivalenceLevels: [Int: Double] = [
    11: 0.009536407887935638,
    12: 0.009536407887935638,
    13: 0.01025690883398056,
    14: 0.01102352887392044,
    15: 0.011536851214259514,
    16: 0.011536851214259514,
    17: 0.012015921452984912,
    18: 0.01203155517578125,
  ]
}
