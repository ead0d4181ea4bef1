import PerfModel
import PerfTestSupport
import Testing

@testable import PerfExport

/// PerfKit's own exports, imported again.
struct ImportRoundTripTests {
  private static let run = SampleRuns.run(launches: 2, samples: 600, fling: 500)

  private func imported(_ run: Run, _ format: ProfileFormat) throws -> Profile {
    let read = try ProfileImport(ProfileExport(run, as: format).bytes)
    #expect(read.format.rawValue == format.rawValue)
    return read.profile
  }

  private func exported(_ run: Run) throws -> Profile { try #require(run.profile?.exported) }

  private func expectClose(
    _ weights: [String: Double], _ expected: [String: Double], within nanoseconds: Double
  ) {
    #expect(Set(weights.keys) == Set(expected.keys))
    for (stack, weight) in expected {
      #expect(abs((weights[stack] ?? 0) - weight) <= nanoseconds, "\(stack)")
    }
  }

  @Test(arguments: [SmallRun.run(SmallRun.profile()), run])
  func `pprof keeps the time, samples, waits and source lines of each stack`(run: Run) throws {
    let (profile, whole) = (try imported(run, .pprof), try exported(run))
    for state in [Profile.State.running, .waiting] {
      // A weight is written in whole nanoseconds, for each of at most 600 counts.
      expectClose(profile.weights(state), whole.weights(state), within: 300)
      #expect(profile.samples(state) == whole.samples(state))
    }
    #expect(profile.measure == .cpuTime)
    let kinds = { (profile: Profile) in
      Set(profile.nodes.map { "\(profile.functions[$0.function].name) \($0.line) \($0.isInlined)" })
    }
    #expect(kinds(profile).isSubset(of: kinds(whole)))
  }

  @Test(arguments: [SmallRun.run(SmallRun.profile()), run])
  func `speedscope keeps the time of each stack and thread`(run: Run) throws {
    let profile = try imported(run, .speedscope)
    #expect(profile.measure == .init(name: "CPU time", dimension: .time, hasSamples: false))
    expectClose(profile.weights(), try exported(run).weights(), within: 1)
  }

  @Test(arguments: [SmallRun.run(SmallRun.profile()), run])
  func `collapsed stacks keep the samples, with the thread as the outermost frame`(run: Run) throws
  {
    let profile = try imported(run, .collapsed)
    let expected = try exported(run).samples().map { stack, samples in
      ("all threads: " + stack.replacing(": ", with: ";", maxReplacements: 1), samples)
    }
    #expect(profile.samples() == Dictionary(uniqueKeysWithValues: expected))
  }

  @Test func `Firefox keeps the time of each stack, and the states of threads`() throws {
    // The two samples of memcpy represent 3 ms together; the wait has no end and keeps its weight.
    let small = try imported(SmallRun.timed, .firefox)
    #expect(
      small.weights() == [
        "ui: main;draw;blend;memcpy": 3_000_000, "ui: main;draw;blend": 1_000_000,
      ])
    #expect(small.weights(.waiting) == ["loader: main": 9_000_000])
    #expect(small.measure == .cpuTime)
    let profile = try imported(Self.run, .firefox)
    // Each of 600 weights is written in whole nanoseconds.
    expectClose(profile.weights(), try exported(Self.run).weights(), within: 300)
    #expect(profile.weights(.runnable).keys == (try exported(Self.run)).weights(.runnable).keys)
  }

  @Test(arguments: [ProfileFormat.pprof, .speedscope, .collapsed, .firefox])
  func `an imported profile that is exported and imported again stays the same`(
    format: ProfileFormat
  ) throws {
    for (_, file) in ImportFixtures.all {
      let profile = try ProfileImport(file).profile
      var environment = Environment(facts: [:])
      environment[.imported] = "pprof"
      let run = Run(
        id: "r1", scenario: "s", variant: "imported", label: nil,
        started: Timestamp(milliseconds: 0), seed: 0, parameters: [:], command: [],
        environment: environment, definitions: [], launches: [], budgets: [], profile: profile,
        warnings: [], wasInterrupted: false)
      guard format != .firefox || !profile.timeline.isEmpty else {
        #expect(throws: ExportError.noTimeline(run: "r1", format: .firefox)) {
          try ProfileExport(run, as: format)
        }
        continue
      }
      let again = try imported(run, format)
      #expect(again.weights().values.reduce(0, +) > 0)
      if format == .collapsed {
        let expected = profile.measure.hasSamples ? profile.samples() : profile.weights()
        #expect(again.weights().values.sorted() == expected.values.sorted())
      } else {
        #expect(again.weights() == profile.weights())
        #expect(again.measure.dimension == profile.measure.dimension)
      }
    }
  }
}
