import Foundation
import PerfModel
import PerfScenario
import Testing

@testable import PerfClaims

/// Tests of the claim files in `Scenarios/claims`.
struct CaseStudyClaimsTests {
  private static let scenarios = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Scenarios").path

  private static func claims() throws -> [Claim] {
    try ClaimsFile.claims(inFolder: "\(scenarios)/claims")
  }

  /// The letters, item counts and names of the case studies; A is the list of arithmetic errors.
  private static let items: [(String, Int, String?)] = [
    ("E", 37, "Epilogue"), ("W", 20, "SwiftWing"), ("R", 13, "Slide rule"), ("T", 15, "BooksTrack"),
    ("P", 14, "PhotoSwiftUISmoothly"), ("A", 15, nil),
  ]

  @Test(arguments: items)
  func `every item of a case study has claims numbered from 1`(
    letter: String, count: Int, study: String?
  ) throws {
    let claims = try Self.claims().filter { $0.id.hasPrefix(letter) }
    let known = Dictionary(grouping: claims) { String($0.id.prefix { $0 != "." }) }
    for number in 1...count {
      let numbers = known["\(letter)\(number)", default: []]
        .compactMap { $0.id.split(separator: ".").last.flatMap { Int($0) } }
      #expect(!numbers.isEmpty, "\(letter)\(number) has no claim")
      #expect(numbers.sorted() == Array(1...max(1, numbers.count)), "\(letter)\(number)")
    }
    #expect(known.count == count)
    if let study { #expect(claims.allSatisfy { $0.study == study }) }
  }

  @Test func `every scenario and variant that a claim names exists`() throws {
    let library = ScenarioLibrary(folder: Self.scenarios)
    for claim in try Self.claims() {
      for source in claim.readings.map(\.source) {
        let scenario = try library.file(source.scenario).scenario
        #expect(
          scenario.variants.contains { $0.name == source.variant }, "\(claim.id) names \(source)")
      }
    }
  }
}
