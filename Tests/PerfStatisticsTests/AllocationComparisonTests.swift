import Glibc
import PerfModel
import Testing

@testable import PerfStatistics

/// Functions whose allocations changed, and their callers.
struct AllocationComparisonTests {
  /// main calls load, sort and wait; load and sort call copy, which calls itself and the runtime.
  private static let functions: [(name: String, module: String, file: String?)] = [
    ("main", "Shelf", "main.swift"), ("load()", "Shelf", "Load.swift"),
    ("sort()", "Shelf", "Sort.swift"), ("copy(_:)", "Shelf", "Copy.swift"),
    ("specialized Array.append(_:)", "Shelf", "Copy.swift"),
    ("swift_allocObject", "libswiftCore.so", nil), ("malloc", "libc.so.6", nil),
    ("start_thread", "libc.so.6", nil), ("Title.__allocating_init(_:)", "Shelf", "Load.swift"),
  ]

  /// The places of allocations: `malloc` below these callers, outermost first.
  private enum Place: Int, CaseIterable {
    case copyByLoad, copyBySort, copyByItself, load, main, thread, title

    /// The functions above `malloc`, by their indices.
    var stack: [Int] {
      switch self {
      case .copyByLoad: [0, 1, 3, 4, 5]
      case .copyBySort: [0, 2, 3, 5]
      case .copyByItself: [0, 1, 3, 3, 4, 5]
      case .load: [0, 1]
      case .main: [0]
      case .thread: [7]
      case .title: [0, 1, 8, 5]
      }
    }
  }

  /// The weights of one sampled allocation.
  private static let weights: [(Profile.State, Double)] = [
    (.allocations, 8192.5), (.allocated, 524_320),
  ]

  /// Returns a run whose launches sampled so many allocations at each place.
  private static func run(
    _ launches: [[Place: Int]], states: Set<Profile.State> = [.allocations, .allocated],
    isCounted: Bool = true, statuses: [Int: Launch.Status] = [:],
    audit: ProfileAudit = ProfileAudit()
  ) -> Run {
    var nodes: [Profile.Node] = []
    let leaves = Place.allCases.map { place in
      for (depth, function) in (place.stack + [6]).enumerated() {
        nodes.append(
          .init(
            parent: depth == 0 ? -1 : nodes.count - 1, function: function, line: 1, isInlined: false
          ))
      }
      return nodes.count - 1
    }
    let counts = launches.enumerated().flatMap { index, samples in
      samples.sorted { $0.key.rawValue < $1.key.rawValue }.flatMap { place, number in
        weights.filter { states.contains($0.0) }.map { state, weight in
          Profile.Count(
            launch: index + 1, node: leaves[place.rawValue], thread: 0, phase: 0,
            frameClass: .none, state: state, samples: number, weight: weight * Double(number))
        }
      }
    }
    let profile = Profile(
      functions: functions.map {
        .init(name: $0.name, key: $0.name, module: $0.module, file: $0.file)
      },
      nodes: nodes, threads: [.init(name: "main", cpu: 0)], phases: [""], counts: counts,
      timeline: [:], audit: audit)
    let metric = isCounted ? MetricName.allocCount : MetricName.wall
    return TestRuns.run(
      [metric: launches.map { _ in 1 }], profile: profile, statuses: statuses)
  }

  /// Returns launches with these mean numbers of sampled allocations.
  private static func launches(
    _ count: Int, _ means: [Place: Double], by random: inout SeededGenerator
  ) -> [[Place: Int]] {
    (0..<count).map { _ in
      // In a fixed order, so that the seed decides everything.
      var samples: [Place: Int] = [:]
      for place in Place.allCases {
        if let mean = means[place] { samples[place] = random.nextPoisson(mean) }
      }
      return samples
    }
  }

  /// Compares 44 launches with these mean numbers of sampled allocations on each side, four per pair.
  private static func changes(
    from base: [Place: Double], to candidate: [Place: Double], seed: UInt64
  ) throws -> AllocationComparison {
    var random = SeededGenerator(seed: seed)
    let (before, after) = (
      launches(44, base, by: &random), launches(44, candidate, by: &random)
    )
    return try #require(
      FunctionComparer().compareAllocations(run(before), run(after), launchesPerPair: 4))
  }

  private static func named(_ functions: [AllocationComparison.Function]) -> [String] {
    functions.filter(\.change.isSignificant).map {
      ([$0.change.name] + $0.callers).joined(separator: " < ")
    }
  }

  @Test(arguments: [4, nil])
  func `one more allocation of an operation is found with its caller`(
    launchesPerPair: Int?
  ) throws {
    // 20,000 operations allocate 64 bytes each in copy(_:) for load(), and once more for sort() in the
    // candidate. One byte in 524,288 is sampled: 2.44 samples per launch, each of 8,192.5 allocations.
    var random = SeededGenerator(seed: 2)
    let base = Self.launches(48, [.copyByLoad: 2.44, .load: 9, .thread: 1], by: &random)
    let candidate = Self.launches(
      48, [.copyByLoad: 2.44, .copyBySort: 2.44, .load: 9, .thread: 1], by: &random)
    let changes = try #require(
      FunctionComparer().compareAllocations(
        Self.run(base), Self.run(candidate), launchesPerPair: launchesPerPair))
    #expect(Self.named(changes.counts) == ["copy(_:) < sort()"])
    #expect(Self.named(changes.bytes) == ["copy(_:) < sort()"])
    // 117 and 234 samples: the difference has a standard error of 8,192.5 * sqrt(351) / 48 = 3,198.
    let change = try #require(changes.counts.first).change
    #expect(abs(change.difference - 20_000) < 4 * 3198)
    #expect(change.kind == .own)
    let (low, high) = (try #require(change.low), try #require(change.high))
    #expect(low > 0 && low < 20_000 && 20_000 < high)
  }

  @Test func `allocations that were removed are found with their caller`() throws {
    let changes = try Self.changes(
      from: [.copyByLoad: 3, .copyBySort: 3, .load: 9], to: [.copyByLoad: 3, .load: 9], seed: 3)
    #expect(Self.named(changes.counts) == ["copy(_:) < sort()"])
    #expect(try #require(changes.counts.first).change.difference < 0)
  }

  @Test func `a change in the calls of two callers names both, the larger change first`() throws {
    let changes = try Self.changes(
      from: [.copyByLoad: 2, .copyBySort: 2, .main: 9],
      to: [.copyByLoad: 5, .copyBySort: 9, .main: 9], seed: 4)
    #expect(Self.named(changes.counts) == ["copy(_:) < sort() < load()"])
  }

  @Test func `the caller of a recursive function is another function`() throws {
    let changes = try Self.changes(from: [.main: 9], to: [.copyByItself: 5, .main: 9], seed: 5)
    #expect(Self.named(changes.counts) == ["copy(_:) < load()"])
  }

  @Test func `an object counts for the function that creates it`() throws {
    let changes = try Self.changes(from: [.main: 9], to: [.main: 9, .title: 5], seed: 8)
    #expect(Self.named(changes.counts) == ["load() < main"])
  }

  @Test func `allocations without a calling function of the program have no caller`() throws {
    let changes = try Self.changes(from: [.load: 9], to: [.load: 9, .main: 5, .thread: 5], seed: 6)
    #expect(Set(Self.named(changes.counts)) == ["main", "malloc"])
  }

  @Test func `each launch gives the represented allocations and bytes of a function`() throws {
    // One and three samples in four launches: 8,192.5 and 24,577.5 allocations, and 64 times the bytes.
    let changes = try #require(
      FunctionComparer().compareAllocations(
        Self.run((0..<4).map { _ in [.copyByLoad: 1] }),
        Self.run((0..<4).map { _ in [.copyByLoad: 2, .copyBySort: 1] }), launchesPerPair: 4))
    let (number, bytes) = (
      try #require(changes.counts.first).change, try #require(changes.bytes.first).change
    )
    #expect(changes.counts.count == 1 && changes.bytes.count == 1)
    #expect(isClose(number.base, 8192.5) && isClose(number.candidate, 24_577.5))
    #expect(isClose(bytes.base, 524_320) && isClose(bytes.candidate, 1_572_960))
  }

  @Test func `pairs with an incomplete launch are excluded`() throws {
    let launches = (0..<8).map { index in [Place.load: index < 4 ? 1 : 3] }
    let changes = try #require(
      FunctionComparer().compareAllocations(
        Self.run(launches, statuses: [2: .timedOut]), Self.run(launches), launchesPerPair: 4))
    #expect(isClose(changes.counts.first?.change.candidate, 3 * 8192.5))
  }

  @Test func `runs without sampled allocations are not compared`() {
    let launches = (0..<8).map { _ in [Place.load: 3] }
    let (sampled, plain) = (Self.run(launches), Self.run(launches, isCounted: false))
    let comparer = FunctionComparer()
    #expect(comparer.compareAllocations(sampled, plain) == nil)
    #expect(comparer.compareAllocations(plain, sampled, launchesPerPair: 4) == nil)
    let unprofiled = TestRuns.run(["alloc.count": launches.map { _ in 1 }])
    #expect(comparer.compareAllocations(sampled, unprofiled) == nil)
    #expect(comparer.compareAllocations(sampled, sampled, launchesPerPair: 9) == nil)
  }

  @Test func `runs of earlier versions, which have no numbers, are compared by bytes`() throws {
    let old = Self.run((0..<8).map { _ in [.load: 3] }, states: [.allocated])
    let new = Self.run((0..<8).map { _ in [.load: 30] })
    let changes = try #require(
      FunctionComparer().compareAllocations(old, new, launchesPerPair: 4))
    #expect(changes.counts.isEmpty && Self.named(changes.bytes) == ["load() < main"])
  }

  // MARK: - Lost records

  /// Returns a run of eight launches with an audit.
  private static func run(of samples: Int, _ audit: ProfileAudit) -> Run {
    run((0..<8).map { _ in [.load: samples] }, audit: audit)
  }

  /// Returns an audit with so many lost and kept records of allocations.
  private static func audit(lost: Int, kept: Int) -> ProfileAudit {
    var audit = ProfileAudit()
    (audit.allocationsLost, audit.allocationsKept) = (lost, kept)
    return audit
  }

  /// The lost records of 1,000 on each side, and the sides in the warning.
  @Test(
    arguments: [
      (0, 0, nil), (9, 9, nil), (11, 0, "1.1% in the base"), (0, 200, "20% in the candidate"),
      (50, 1000, "5% in the base and 100% in the candidate"),
    ] as [(Int, Int, String?)])
  func `functions are not compared by allocations if over 1 % of the records of a side were lost`(
    base: Int, candidate: Int, sides: String?
  ) throws {
    let old = Self.run(of: 3, Self.audit(lost: base, kept: 1000 - base))
    let new = Self.run(of: 30, Self.audit(lost: candidate, kept: 1000 - candidate))
    let paired = try PairedComparer(policy: .init(metrics: ["alloc.count": nil]), seed: 1)
      .compare(old, new, launchesPerPair: 4)
    let stored = try RunComparer(policy: .init(metrics: ["alloc.count": nil])).compare(old, new)
    for comparison in [paired, stored] {
      let warnings = comparison.warnings.filter { $0.code == "comparison.allocations_lost" }
      #expect((comparison.allocations == nil) == (sides != nil))
      #expect(warnings.count == (sides == nil ? 0 : 1))
      #expect(warnings.allSatisfy { $0.message.hasSuffix("lost: \(sides ?? "")") }, "\(warnings)")
      // The exact totals are compared in any case.
      #expect(comparison.metrics.map(\.definition.name) == ["alloc.count"])
    }
  }

  @Test func `a program that did not allocate before is compared with zero`() throws {
    let changes = try #require(
      FunctionComparer().compareAllocations(
        Self.run((0..<8).map { _ in [:] }), Self.run((0..<8).map { _ in [.load: 30] }),
        launchesPerPair: 4))
    #expect(Self.named(changes.counts) == ["load() < main"])
    #expect(changes.counts.first?.change.base == 0)
  }

  @Test func `a comparison of pairs and one of stored runs contain the allocations`() throws {
    var random = SeededGenerator(seed: 7)
    let base = Self.launches(48, [.load: 9], by: &random)
    let candidate = Self.launches(48, [.load: 9, .copyBySort: 5], by: &random)
    let (old, new) = (Self.run(base), Self.run(candidate))
    let paired = try PairedComparer(policy: .init(metrics: ["alloc.count": nil]), seed: 1)
      .compare(old, new, launchesPerPair: 4)
    let stored = try RunComparer(policy: .init(metrics: ["alloc.count": nil])).compare(old, new)
    for comparison in [paired, stored] {
      let changes = try #require(comparison.allocations)
      #expect(Self.named(changes.counts) == ["copy(_:) < sort()"])
    }
  }

  // MARK: - The rate of false names

  /// The launches per pair, nil for stored runs, the launches per side, and the mean samples of a launch.
  @Test(
    arguments: [
      (4, 44, 12), (4, 44, 1), (1, 20, 12), (nil, 12, 40),
    ] as [(Int?, Int, Double)])
  func `equal launches name functions in at most one comparison in twenty`(
    launchesPerPair: Int?, count: Int, samples: Double
  ) throws {
    var random = SeededGenerator(seed: 11)
    let shares: [Place: Double] = [
      .copyByLoad: 0.3, .copyBySort: 0.02, .load: 0.4, .main: 0.03, .thread: 0.25,
    ]
    let comparisons = 200
    var alarms = (counts: 0, bytes: 0)
    for _ in 0..<comparisons {
      func side() -> Run {
        // One launch in three allocates half as much again.
        Self.run(
          (0..<count).map { _ in
            let level = random.nextUniform() < 1 / 3.0 ? 1.5 : 1
            return Self.launches(1, shares.mapValues { $0 * samples * level }, by: &random)[0]
          })
      }
      let changes = try #require(
        FunctionComparer().compareAllocations(side(), side(), launchesPerPair: launchesPerPair))
      if !Self.named(changes.counts).isEmpty { alarms.counts += 1 }
      if !Self.named(changes.bytes).isEmpty { alarms.bytes += 1 }
    }
    // Binomial: at most 10 +- 3.1 of 200; the bound is three standard deviations above.
    #expect(alarms.counts <= 19 && alarms.bytes <= 19, "\(alarms)")
  }
}

extension SeededGenerator {
  /// Returns a Poisson number.
  ///
  /// Source: Knuth, The Art of Computer Programming 2, section 3.4.1.F.
  fileprivate mutating func nextPoisson(_ mean: Double) -> Int {
    var (events, product) = (0, nextUniform())
    while product > exp(-mean) {
      events += 1
      product *= nextUniform()
    }
    return events
  }
}
