internal import Foundation
internal import PerfModel
internal import PerfStatistics

/// Change points in series over commits.
extension EvidenceBench {
  private static let length = 60
  private static let spread = 0.03

  /// A simulated series.
  private struct Course {
    let values: [Double]
    /// The index of the first value after the step; nil for a flat series.
    let place: Int?
    let seed: UInt64

    /// The change points by PerfKit's rule.
    var points: [Int] { ((try? ChangePoints.find(in: values, seed: seed)) ?? []).map(\.index) }
  }

  /// The result for one series.
  private struct Found {
    /// Whether a point is within three commits of the step.
    let isNear: Bool
    /// The number of other points.
    let falsePoints: Int

    init(_ points: [Int], in course: Course) {
      let near = points.count { point in course.place.map { abs(point - $0) <= 3 } ?? false }
      isNear = near > 0
      falsePoints = points.count - min(near, 1)
    }
  }

  func history(_ table: FigureTable) throws {
    let flat = (0..<series).map { Self.course(step: 0, seed: seed &+ UInt64($0)) }
    let stepped = (0..<series).map { index in
      Self.course(step: 0.05, seed: seed &+ 0x1_0000_0000 &+ UInt64(index))
    }
    let still = Parallel.map(series) { Found(flat[$0].points, in: flat[$0]) }
    let steps = Parallel.map(series) { Found(stepped[$0].points, in: stepped[$0]) }
    let peers = try peers(flat, stepped)
    table.add(
      "a step of 5 % in a series of 60 with 3 % noise, at least 10 points either side",
      target: "found within 3 commits in >= 90 %",
      measured: "\(Self.text(steps)), \(series) series",
      peer: peers.map { "\($0.name) \(Self.text($0.steps))" }.joined(separator: "; "),
      isMet: Self.near(steps) >= 0.9)
    table.add(
      "flat series of 60 with 3 % noise", target: "<= 0.1 points per series",
      measured: "\(Self.text(still, isFlat: true)), \(series) series",
      peer: peers.map { "\($0.name) \(Self.text($0.flat, isFlat: true))" }.joined(separator: "; "),
      isMet: Self.rate(still) <= 0.1)
  }

  /// Returns the change points that other packages find in the same series.
  private func peers(
    _ flat: [Course], _ stepped: [Course]
  ) throws -> [(name: String, flat: [Found], steps: [Found])] {
    try EDivisivePeer.allCases.compactMap { peer in
      guard let version = peer.version else {
        print("  \(peer.rawValue) is not installed for python3, so its change points are omitted")
        return nil
      }
      let found = try [flat, stepped].map { courses in
        try zip(peer.points(in: courses.map(\.values), seed: seed), courses)
          .map { Found($0, in: $1) }
      }
      return ("\(peer.rawValue) \(version)", found[0], found[1])
    }
  }

  private static func near(_ found: [Found]) -> Double {
    Double(found.count { $0.isNear }) / Double(max(found.count, 1))
  }

  private static func rate(_ found: [Found]) -> Double {
    Double(found.reduce(0) { $0 + $1.falsePoints }) / Double(max(found.count, 1))
  }

  private static func text(_ found: [Found], isFlat: Bool = false) -> String {
    let rate = NumberFormat.significant(rate(found), digits: 3)
    return isFlat ? rate : "\(RuleTally.percent(near(found))), \(rate) further points per series"
  }

  private static func course(step: Double, seed: UInt64) -> Course {
    var source = NoiseSource(.core, seed: seed)
    var generator = SeededGenerator(seed: ~seed)
    let place = 10 + Int(generator.nextUniform() * Double(length - 20 + 1))
    let values = (0..<length).map { index in
      // The source's spread is 1.2 % divided by the square root of 2.
      100 * (1 + source.next() * spread / 0.012 * 2.0.squareRoot())
        * (step != 0 && index >= place ? 1 + step : 1)
    }
    return Course(values: values, place: step == 0 ? nil : place, seed: seed)
  }
}
