internal import Foundation
internal import PerfModel
internal import PerfStatistics

/// Change points in series over commits.
extension EvidenceBench {
  private static let length = 60
  private static let spread = 0.03

  /// What was found in one series.
  private struct Found {
    /// Whether a point lies within three commits of the step.
    let isNear: Bool
    /// Points that are not.
    let falsePoints: Int
  }

  func history(_ table: FigureTable) {
    let flat = Parallel.map(series) { Self.find(step: 0, seed: seed &+ UInt64($0)) }
    let steps = Parallel.map(series) { index in
      Self.find(step: 0.05, seed: seed &+ 0x1_0000_0000 &+ UInt64(index))
    }
    let near = Double(steps.count { $0.isNear }) / Double(steps.count)
    table.add(
      "a step of 5 % in a series of 60 with 3 % noise, at least 10 points either side",
      target: "found within 3 commits in >= 90 %",
      measured: "\(RuleTally.percent(near)), with "
        + "\(Self.rate(steps)) further points a series, \(series) series",
      isMet: near >= 0.9)
    let total = Double(flat.reduce(0) { $0 + $1.falsePoints }) / Double(flat.count)
    table.add(
      "flat series of 60 with 3 % noise", target: "<= 0.1 points a series",
      measured: "\(Self.rate(flat)), \(series) series", isMet: total <= 0.1)
  }

  private static func rate(_ found: [Found]) -> String {
    let total = found.reduce(0) { $0 + $1.falsePoints }
    return NumberFormat.significant(Double(total) / Double(max(found.count, 1)), digits: 3)
  }

  private static func find(step: Double, seed: UInt64) -> Found {
    var source = NoiseSource(.core, seed: seed)
    var generator = SeededGenerator(seed: ~seed)
    let place = 10 + Int(generator.nextUniform() * Double(length - 20 + 1))
    let values = (0..<length).map { index in
      // The source's spread is 1.2 % by the root of 2.
      100 * (1 + source.next() * spread / 0.012 * 2.0.squareRoot())
        * (step != 0 && index >= place ? 1 + step : 1)
    }
    let points = (try? ChangePoints(seed: seed).find(in: values)) ?? []
    let near = points.filter { step != 0 && abs($0.index - place) <= 3 }
    return Found(isNear: !near.isEmpty, falsePoints: points.count - near.prefix(1).count)
  }
}
