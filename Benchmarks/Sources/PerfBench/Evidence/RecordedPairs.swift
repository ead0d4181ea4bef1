internal import Foundation

/// A recording of interleaved pairs of launches of one program, from `Reports/data`.
struct RecordedPairs: Decodable {
  /// The factor by which the candidate did more work.
  let factor: Double
  /// The seconds of base and candidate.
  let pairs: [[Double]]

  /// Reads the recording with a factor.
  static func read(_ factor: String) throws -> RecordedPairs {
    let data = try Data(contentsOf: URL(fileURLWithPath: "Reports/data/pairs-x\(factor).json"))
    return try JSONDecoder().decode(RecordedPairs.self, from: data)
  }

  /// Returns a block of four launches per side from a pair on; the recording is treated as a ring.
  func block(from pair: Int) -> LaunchPairValues {
    let part = (0..<4).map { pairs[(pair + $0) % pairs.count] }
    return (part.map { $0[0] }, part.map { $0[1] })
  }

  /// Returns the launches of both sides from a pair on.
  func launches(from pair: Int, count: Int) -> LaunchPairValues {
    let part = (0..<count).map { pairs[(pair + $0) % pairs.count] }
    return (part.map { $0[0] }, part.map { $0[1] })
  }

  /// Returns the recording with the candidate's times multiplied by a factor.
  func slowed(by factor: Double) -> RecordedPairs {
    RecordedPairs(factor: self.factor * factor, pairs: pairs.map { [$0[0], $0[1] * factor] })
  }
}
