internal import Foundation

/// Launches of one program that were recorded in interleaved pairs, in `Reports/data`.
struct RecordedPairs: Decodable {
  /// The factor by which the candidate did more work.
  let factor: Double
  /// Seconds of base and candidate.
  let pairs: [[Double]]

  /// Reads the recording of a factor.
  static func read(_ factor: String) throws -> RecordedPairs {
    let data = try Data(contentsOf: URL(fileURLWithPath: "Reports/data/pairs-x\(factor).json"))
    return try JSONDecoder().decode(RecordedPairs.self, from: data)
  }

  /// Returns a block of four launches a side from a pair on; after the last pair comes the first.
  func block(from pair: Int) -> LaunchPairValues {
    let part = (0..<4).map { pairs[(pair + $0) % pairs.count] }
    return (part.map { $0[0] }, part.map { $0[1] })
  }

  /// Returns the launches of some pairs, of each side.
  func launches(from pair: Int, count: Int) -> LaunchPairValues {
    let part = (0..<count).map { pairs[(pair + $0) % pairs.count] }
    return (part.map { $0[0] }, part.map { $0[1] })
  }

  /// Returns the recording with its candidate's launches slower by a factor.
  func slowed(by factor: Double) -> RecordedPairs {
    RecordedPairs(factor: self.factor * factor, pairs: pairs.map { [$0[0], $0[1] * factor] })
  }
}
