extension LookSchedule {
  /// The level of each look that keeps an error over all looks.
  struct Boundary: Sendable {
    /// The two-sided error over all looks.
    let error: Double
    /// The number of pairs at the first look, large enough to reach the level.
    let first: Int
    /// The two-sided error of each look.
    let level: Double

    /// Creates the boundary for metrics that share an error of 2 % equally.
    init(metrics: Int, first: Int, level: Double) {
      error = 0.02 / Double(metrics)
      self.first = first
      self.level = level
    }
  }

  /// The levels for changes, by descending error.
  ///
  /// `Scripts/bench evidence --boundaries` creates them from 3,000,000 simulated comparisons each.
  static let boundaries = [
    Boundary(metrics: 1, first: 11, level: 0.006371744650095934),
    Boundary(metrics: 2, first: 11, level: 0.0029080943877488608),
    Boundary(metrics: 3, first: 11, level: 0.0018673688173294067),
    Boundary(metrics: 4, first: 11, level: 0.001416526734828949),
    Boundary(metrics: 5, first: 11, level: 0.0010645166039466858),
    Boundary(metrics: 6, first: 12, level: 0.0009657368063926697),
    Boundary(metrics: 7, first: 12, level: 0.000850677490234375),
    Boundary(metrics: 8, first: 12, level: 0.0007076263427734375),
    Boundary(metrics: 9, first: 12, level: 0.0006032901037542615),
    Boundary(metrics: 10, first: 12, level: 0.0005833879113197327),
    Boundary(metrics: 11, first: 13, level: 0.00048828125),
    Boundary(metrics: 12, first: 13, level: 0.0004794529413629789),
    Boundary(metrics: 15, first: 13, level: 0.0003571899414964719),
    Boundary(metrics: 20, first: 13, level: 0.00024816789118631277),
    Boundary(metrics: 25, first: 14, level: 0.00023327588314714376),
    Boundary(metrics: 30, first: 14, level: 0.000209808349609375),
    Boundary(metrics: 40, first: 14, level: 0.0001353248953819275),
    Boundary(metrics: 50, first: 15, level: 0.00011970102787017822),
    Boundary(metrics: 75, first: 15, level: 7.204711437225342e-05),
    Boundary(metrics: 100, first: 16, level: 5.845885789312888e-05),
    Boundary(metrics: 150, first: 16, level: 3.62396240234375e-05),
    Boundary(metrics: 200, first: 17, level: 2.6702880859375e-05),
    Boundary(metrics: 300, first: 18, level: 1.805902866180986e-05),
  ]

  /// The levels for equivalence with an error of 5 % over all looks, by the first look.
  static let equivalenceLevels: [Int: Double] = [
    11: 0.016727693378925323,
    12: 0.016727693378925323,
    13: 0.017181396484375,
    14: 0.01998793531311094,
    15: 0.01998793531311094,
    16: 0.020409412682056427,
    17: 0.020409412682056427,
    18: 0.02081298828125,
  ]
}
