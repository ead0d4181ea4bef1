import Foundation
import PerfGate
import PerfModel
import Testing

@testable import PerfClaims
@testable import perfkit

/// The metrics that the files of claims use.
struct ClaimMetricTests {
  private static let scenarios = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Scenarios").path

  @Test func `every metric of a claim exists and has the dimension of the claim`() throws {
    let perfkit = try TestCommand()
    let listed = perfkit("list", "metrics", "--format", "json")
    #expect(listed.status == .done)
    let rows = try #require(
      JSONSerialization.jsonObject(with: Data(listed.output.utf8)) as? [[String: Any]])
    var dimensions: [String: PerfModel.Dimension] = [:]
    for row in rows {
      let name = try #require(row["metric"] as? String)
      dimensions[name] = PerfModel.Unit.named(try #require(row["unit"] as? String))?.dimension
    }
    for claim in try ClaimsFile.studies(inFolder: "\(Self.scenarios)/claims").flatMap(\.claims) {
      var tests = claim.cause?.test.map { [($0.assertion, $0.readings.all)] } ?? []
      if let assertion = claim.assertion, case .measured(let own) = claim.evidence {
        tests.append((assertion, own.all))
      }
      for (assertion, reading) in tests.flatMap({ test in test.1.map { (test.0, $0) } }) {
        let unknown = reading.formula.metrics.filter { dimensions[$0] == nil }
        #expect(unknown == [], "\(claim.id)")
        // Different numbers, so that no difference is zero and no division fails.
        let value = try reading.formula.value { name in
          Formula.Value(Double(name.count), dimensions[name])
        }
        guard assertion.aspect == .before || assertion.aspect == .after else { continue }
        let claimed = Formula.Value(1, assertion.high.unit.dimension)
        #expect(value.dimension == claimed.dimension, "\(claim.id)")
      }
    }
  }
}
