import Foundation
import PerfModel
import PerfReport
import PerfScenario
import Testing

@testable import PerfClaims

/// Tests of the claim files in `Scenarios/claims`.
struct CaseStudyClaimsTests {
  private static let scenarios = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Scenarios").path

  private static func claims() throws -> [Claim] {
    try ClaimsFile.studies(inFolder: "\(scenarios)/claims").flatMap(\.claims)
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

  @Test func `the variants of a cause without a measurement differ in one parameter`() throws {
    let library = ScenarioLibrary(folder: Self.scenarios)
    var count = 0
    for claim in try Self.claims() {
      guard let cause = claim.cause, cause.test == nil else { continue }
      count += 1
      let sources = claim.readings.map(\.source)
      #expect(sources.count == 2 && sources[0].scenario == sources[1].scenario, "\(claim.id)")
      let scenario = try library.file(sources[0].scenario).scenario
      let sides = try sources.map { source in
        try #require(scenario.variants.first { $0.name == source.variant }).parameters
      }
      let names = Set(sides.flatMap(\.keys)).filter { sides[0][$0] != sides[1][$0] }
      #expect(names.count == 1, "\(claim.id) compares variants that differ in \(names.sorted())")
    }
    #expect(count > 0)
  }

  /// A run with six launches in which every metric of the claims has the same large value.
  private static func run(_ source: Claim.Source, _ metrics: [String]) -> Run {
    let values = Dictionary(metrics.map { ($0, 1.234567e11) }, uniquingKeysWith: { $1 })
    return Run(
      id: "r1m7zzw3w5kg", scenario: source.scenario, variant: source.variant, label: nil,
      started: Timestamp(milliseconds: 0), seed: 1, parameters: [:], command: [],
      environment: Environment(facts: [:]),
      definitions: values.keys.map {
        MetricDefinition(
          name: $0, dimension: .time, direction: .lower, scale: .ratio, summary: "A metric.")
      },
      launches: (0..<6).map {
        Launch(index: $0, isWarmup: false, status: .completed, offset: 0, metrics: values)
      },
      budgets: [], profile: nil, warnings: [], wasInterrupted: false)
  }

  @Test func `the story of every study fits a screen, whatever the verdicts`() throws {
    let studies = try ClaimsFile.studies(inFolder: "\(Self.scenarios)/claims")
    #expect(studies.count == 5)
    let metrics = studies.flatMap(\.claims).flatMap(\.readings).flatMap(\.formula.metrics)
    for study in studies {
      #expect(!study.story.isEmpty && (3...6).contains(study.headlines.count), "\(study.key)")
      for changes in [[], ["the program changed"]] {
        let story = ClaimStory(study) { claim in
          ClaimJudge.finding(of: claim, run: { Self.run($0, metrics) }, changes: { _ in changes })
        }
        let lines = TextRenderer(width: 80).render(story.document)
          .split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        #expect(lines.count <= 24, "\(study.key)")
        #expect(lines.allSatisfy { $0.count <= 80 }, "\(study.key)")
        for headline in study.headlines {
          #expect(lines.contains { $0.contains(headline.text) }, "\(headline.text) is shortened")
        }
      }
    }
  }

  /// Words of statements with the study that has the figure.
  private static let origins = [
    ("requests hit", "SwiftWing"), ("change of mode", "Slide rule"), ("18 fps", "Epilogue"),
    ("1,247", "Epilogue"), ("770", "Slide rule"), ("12 %", "Epilogue"), ("0.5 s", "SwiftWing"),
    ("1,920", "SwiftWing"), ("200 to 500 ms", "BooksTrack"),
  ]

  @Test(arguments: origins)
  func `a statement credits a figure to the study that has it`(
    words: String, study: String
  ) throws {
    let scenarios = try ScenarioLibrary(folder: Self.scenarios).entries()
      .map { try $0.result.get().scenario }
    for scenario in scenarios where scenario.caseStudy?.statement.contains(words) == true {
      #expect(scenario.caseStudy?.study == study, "\(scenario.name)")
    }
  }

  /// The metrics of evidence that a parameter, a generator or a constant decides.
  @Test(arguments: [
    "T10.1", "W6.1", "W6.2", "W6.3", "R2.1", "R3.2", "R12.1", "E11.1", "E11.2", "E11.3", "W15.3",
    "E22.2", "E22.3", "E22.4", "E23.1", "E30.2", "W13.1", "W18.1", "P9.1", "E36.1", "R4.2", "R5.2",
    "R5.6", "R5.7", "E10.1", "E26.1", "E29.5", "E32.4", "P13.1",
  ])
  func `evidence that repeats an input is no reproduction`(id: String) throws {
    let claim = try #require(try Self.claims().first { $0.id == id })
    #expect(claim.stated?.isEmpty == false)
  }

  /// The variants that are themselves the state before a change.
  private static let firstStates: Set<String> = ["naive", "naive-50", "baseline", "week-0"]

  /// The claims about zero without a state before: an unprotected cache, and a comparison of two counts.
  private static let withoutStateBefore: Set<String> = ["E33.2", "A12.2"]

  // All variants could keep the refresh rate, or have a count of 0.
  @Test func `a frame rate or a zero is held against the state before`() throws {
    for claim in try Self.claims() where claim.stated == nil {
      guard case .measured(let readings) = claim.evidence, let assertion = claim.assertion,
        assertion.aspect == .after, !Self.firstStates.contains(readings.after.source.variant),
        !Self.withoutStateBefore.contains(claim.id)
      else { continue }
      let isRate = readings.after.formula == .metric(MetricName.frameRate)
      let isZero = assertion.relation == .equal && assertion.high.baseValue == 0
      guard isRate || isZero else { continue }
      #expect(readings.before != nil, "\(claim.id)")
      #expect((claim.cap != nil) == isRate, "\(claim.id)")
    }
  }
}
