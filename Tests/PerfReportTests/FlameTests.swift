import PerfModel
import PerfTestSupport
import Testing

@testable import PerfReport

extension FlameData {
  init(_ profile: Profile, launches: Int, filter: SampleFilter = SampleFilter()) {
    self.init(Side(profile: profile, launches: launches), filter: filter)
  }
}

/// Tests on a tree with known sums: main calls decode (3 ms self time) and blend; decode calls
/// copy.
struct FlameTests {
  private static func function(_ name: String, _ module: String = "App") -> Profile.Function {
    .init(name: name, key: name, module: module, file: module == "App" ? "App.swift" : nil)
  }

  private static func count(
    _ node: Int, _ milliseconds: Double, launch: Int = 0, thread: Int = 0, signpost: Int = 0,
    frameClass: Profile.FrameClass = .onTime, state: Profile.State = .running
  ) -> Profile.Count {
    .init(
      launch: launch, node: node, thread: thread, phase: 0, signpost: signpost,
      frameClass: frameClass, state: state, samples: Int(milliseconds), weight: milliseconds * 1e6)
  }

  private static func profile(_ counts: [Profile.Count]) -> Profile {
    Profile(
      functions: [
        function("main"), function("decode"), function("copy", "libc.so.6"), function("blend"),
      ],
      nodes: [
        .init(parent: -1, function: 0, line: 1, isInlined: false),
        .init(parent: 0, function: 1, line: 2, isInlined: false),
        .init(parent: 1, function: 2, line: 0, isInlined: false),
        .init(parent: 0, function: 3, line: 3, isInlined: false),
        // The same call from another line, and a recursive call of decode.
        .init(parent: 0, function: 1, line: 9, isInlined: false),
        .init(parent: 4, function: 1, line: 9, isInlined: false),
      ],
      threads: [.init(name: "main", cpu: 0), .init(name: "loader", cpu: 0)], phases: [""],
      signposts: ["", "import"], counts: counts, timeline: [:], audit: ProfileAudit())
  }

  private static let sample = profile([
    count(1, 3), count(2, 4, signpost: 1), count(3, 2, frameClass: .missed), count(5, 1, thread: 1),
    count(3, 50, state: .waiting),
  ])

  private static func names(_ tree: CallTree, _ nodes: [Int]) -> [String] {
    nodes.map { tree.functions[tree.nodes[$0].function].name }
  }

  @Test func `self time excludes callees and recursion counts once in the total`() throws {
    let hot = HotFunctions(Self.sample)
    let decode = try #require(hot.functions.first { $0.function.name == "decode" })
    // Self time is 3 + 1 ms, total time 3 + 4 + 1 ms. Waiting is not CPU time.
    #expect(decode.own.time == 4e6)
    #expect(decode.total.time == 8e6)
    #expect(hot.total == 10e6)
    #expect(hot.samples == 10)
    #expect(hot.functions.map(\.function.name) == ["decode", "copy", "blend", "main"])
  }

  private static func hotTable(_ profile: Profile, launches: Int) -> Table? {
    let run = SampleRuns.run(launches: launches, samples: 0, fling: 0)
    return RunDocument(
      run: SampleRuns.replacingProfile(of: run, by: profile), metrics: [], budgets: [],
      verdict: .held
    ).functionTable
  }

  @Test func `shares in few launches have intervals from the samples`() throws {
    let table = try #require(Self.hotTable(Self.sample, launches: 1))
    #expect(table.columns.map(\.title).prefix(4) == ["self", "±", "total", "±"])
    #expect(table.caption.contains("Clopper-Pearson"))
    // SciPy 1.17, binomtest(k, 10).proportion_ci(method="exact"): half of the interval is 30.80
    // points for 4 of 10 samples, and 26.54 for 8 or 2.
    #expect(
      table.rows.map { $0.prefix(4).map(\.text) } == [
        ["40.0%", "30.8", "80.0%", "26.5"], ["40.0%", "30.8", "40.0%", "30.8"],
        ["20.0%", "26.5", "20.0%", "26.5"],
      ])
  }

  @Test func `shares in six launches have intervals from the launches`() throws {
    // In launch k of 6, decode takes 2 ms, its callee copy k ms, and blend the rest of 10 ms. The
    // 95 % interval of the median of six is from the smallest to the largest: (0.6 - 0.1) / 2.
    let counts = (1...6).flatMap { launch in
      [
        Self.count(1, 2, launch: launch), Self.count(2, Double(launch), launch: launch),
        Self.count(3, 8 - Double(launch), launch: launch),
      ]
    }
    let table = try #require(Self.hotTable(Self.profile(counts), launches: 6))
    #expect(table.caption.contains("of the median share per launch"))
    #expect(
      table.rows.map { $0.prefix(4).map(\.text) } == [
        ["45.0%", "25.0", "45.0%", "25.0"], ["35.0%", "25.0", "35.0%", "25.0"],
        ["20.0%", "0.0", "55.0%", "25.0"],
      ])
  }

  @Test func `launches that failed before they ran do not count for a profile`() throws {
    // Six launches of 10 ms, and a launch that failed without a sample.
    let counts = (1...6).map { Self.count(1, 10, launch: $0) }
    let run = SampleRuns.replacingProfile(
      of: SampleRuns.run(launches: 7, samples: 0, fling: 0, statuses: [7: .timedOut]),
      by: Self.profile(counts))
    let document = RunDocument(run: run, metrics: [], budgets: [], verdict: .held)
    let row = try #require(document.functionTable?.rows.first).map(\.text)
    #expect(row.prefix(5) == ["100.0%", "0.0", "100.0%", "0.0", "10 ms"])
    let data = try #require(FlameGraph(run)).data
    #expect(CallTree(data, options: .init()).total.candidate == 10e6)
  }

  @Test func `a flame graph without selected samples is empty`() throws {
    func run(_ counts: Profile.Count...) -> Run {
      SampleRuns.replacingProfile(
        of: SampleRuns.run(launches: 1, samples: 0, fling: 0), by: Self.profile(counts))
    }
    func isEmpty(_ run: Run, _ options: FlameOptions = FlameOptions()) throws -> Bool {
      try #require(FlameGraph(run, options: options)).isEmpty
    }
    let (none, ran) = (run(), run(Self.count(1, 3)))
    let waited = run(Self.count(1, 3, state: .waiting))
    #expect(try isEmpty(none))
    #expect(try isEmpty(ran) == false)
    #expect(try isEmpty(ran, FlameOptions(.init(onlyMissedFrames: true))))
    #expect(try isEmpty(ran, FlameOptions(.init(thread: "loader"))))
    #expect(try isEmpty(ran, FlameOptions(.init(signpost: "import"))))
    #expect(try isEmpty(waited))
    #expect(try isEmpty(waited, FlameOptions(state: .waiting)) == false)
    // A function of the base alone is drawn as well.
    #expect(FlameGraph(none, against: ran)?.isEmpty == false)
    #expect(FlameGraph(none, against: none)?.isEmpty == true)
  }

  @Test func `time in libraries is charged to the calling function of the program`() {
    let blame = Blame(Self.sample, launches: 2)
    #expect(blame.time == ["decode": 4e6, "blend": 1e6])
  }

  @Test(arguments: [
    ("specialized UnsafeMutablePointer.assign(from:count:)", true),
    ("specialized Array._makeMutableAndUnique()", true), ("_init", true),
    ("closure #1 in Sequence.map(_:)", true), ("specialized ShelfPainter.paint(_:at:cell:)", false),
    ("closure #1 in closure #2 in JPEGDecoder.decode(_:)", false), ("SetOfBooks.add(_:)", false),
    ("static ColorCube.box(of:)", false), ("main", false), ("memcpy@plt", true), (".plt", true),
    ("static SIMD4<>.&+= infix(_:_:)", true), ("SIMD16.subscript.getter", true),
    ("static Int.+ infix(_:_:)", true), ("static Equatable.!= infix(_:_:)", true),
    ("specialized static Comparable.>= infix(_:_:)", true), ("specialized min<A>(_:_:)", true),
    ("static Pixel.+ infix(_:_:)", false), ("Int.roundedUp(to:)", false), ("min(_:)", false),
    ("swapped<A>(_:)", false), ("SIMDPainter.paint()", false),
  ])
  func `code of the standard library is not the program's`(name: String, isLibrary: Bool) {
    #expect(ProgramCode.isLibraryCode(name) == isLibrary)
  }

  /// draw() with inlined code of the standard library and a thunk; below each one a library's function, and
  /// the kernel's below that.
  private static let mixed: Profile = {
    let names = [
      "_start", "draw()", "specialized UnsafeMutablePointer.assign(from:count:)", "thunk",
      "swift_retain", "clear_page", "blend()", "[read]",
    ]
    let files = [
      nil, "Draw.swift", "Draw.swift", "/<compiler-generated>", nil, nil, "Draw.swift", nil,
    ]
    let modules = ["App", "App", "App", "App", "libswiftCore.so", "[kernel]", "App", ""]
    return Profile(
      functions: names.indices.map {
        .init(name: names[$0], key: names[$0], module: modules[$0], file: files[$0])
      },
      nodes: [
        .init(parent: -1, function: 0, line: 0, isInlined: false),
        .init(parent: 0, function: 1, line: 1, isInlined: false),
        .init(parent: 1, function: 2, line: 1, isInlined: true),
        .init(parent: 1, function: 3, line: 0, isInlined: false),
        .init(parent: 3, function: 4, line: 0, isInlined: false),
        .init(parent: 4, function: 5, line: 0, isInlined: false),
        // A function of the program that library code calls.
        .init(parent: 2, function: 6, line: 2, isInlined: true),
        .init(parent: 1, function: 7, line: 0, isInlined: false),
        .init(parent: 0, function: 5, line: 0, isInlined: false),
      ],
      threads: [.init(name: "main", cpu: 0)], phases: [""],
      counts: [1, 2, 4, 8, 16, 32, 64, 128, 256].enumerated().map { Self.count($0, $1) },
      timeline: [
        0: [
          .init(
            time: 1, node: 5, thread: 0, serial: 1, phase: 0, frameClass: .none, state: .running,
            cpu: nil)
        ]
      ], audit: ProfileAudit())
  }()

  @Test func `generated code is charged to its caller`() {
    // The start code and the kernel below it have no function of the program above them.
    #expect(
      Blame(Self.mixed, launches: 1).time
        == ["_start": 1e6, "draw()": 190e6, "blend()": 64e6, "clear_page": 256e6])
  }

  @Test(arguments: [
    (Folding.none, true, ["_start": 1, "draw()": 2, "thunk": 8, "swift_retain": 16]),
    (.inlined, true, ["_start": 1, "draw()": 14, "swift_retain": 16, "clear_page": 288]),
    (.inlined, false, ["_start": 257, "draw()": 14, "swift_retain": 48, "blend()": 64]),
    (.library, true, ["_start": 1, "draw()": 62, "clear_page": 256, "blend()": 64]),
    (.library, false, ["_start": 257, "draw()": 62, "[read]": 128, "blend()": 64]),
    (.none, false, ["_start": 257, "thunk": 8, "swift_retain": 48]),
  ])
  func `folded code counts for the function of the program above it`(
    folding: Folding, showsKernel: Bool, expected: [String: Double]
  ) {
    let profile = folding.apply(to: Self.mixed, showsKernel: showsKernel)
    var times: [String: Double] = [:]
    for count in profile.counts {
      times[profile.functions[profile.nodes[count.node].function].name, default: 0] +=
        count.weight / 1e6
    }
    for (name, time) in expected { #expect(times[name] == time, "\(name) in \(times)") }
    #expect(times.values.reduce(0, +) == 511)
    #expect(profile.nodes.enumerated().allSatisfy { $1.parent < $0 })
    // The time line follows.
    let moment = profile.timeline[0]?.first.map { profile.nodes[$0.node].function }
    let innermost =
      showsKernel && folding != .library ? 5 : folding == .library ? 1 : 4
    #expect(moment == innermost)
  }

  @Test func `a call tree merges the lines of a function and sorts by weight`() {
    let tree = CallTree(FlameData(Self.sample, launches: 1), options: .init())
    #expect(Self.names(tree, tree.roots) == ["main"])
    #expect(Self.names(tree, tree.nodes[tree.roots[0]].children) == ["decode", "blend"])
    #expect(tree.total.candidate == 10e6)
  }

  @Test func `specialised functions have the name of the original function`() {
    let profile = Profile(
      functions: ["partial apply for draw()", "draw()", "specialized draw()"].map {
        .init(name: $0, key: "draw()", module: "App", file: "App.swift")
      },
      nodes: (0..<3).map { .init(parent: -1, function: $0, line: 1, isInlined: false) },
      threads: [.init(name: "main", cpu: 0)], phases: [""],
      counts: (0..<3).map { Self.count($0, 1) }, timeline: [:], audit: ProfileAudit())
    #expect(HotFunctions(profile).functions.map(\.function.name) == ["draw()"])
    let tree = CallTree(FlameData(profile, launches: 1), options: .init())
    #expect(Self.names(tree, tree.roots) == ["draw()"])
    #expect(Blame(profile, launches: 1).names == ["draw()": "draw()"])
  }

  @Test func `a filter selects by frame, thread, signpost, launch and state`() {
    func weight(_ filter: SampleFilter, state: Profile.State = .running) -> Double {
      let data = FlameData(Self.sample, launches: 2, filter: filter)
      return CallTree(data, options: .init(state: state)).total.candidate * 2
    }
    #expect(weight(.init(onlyMissedFrames: true)) == 2e6)
    #expect(weight(.init(thread: "loader")) == 1e6)
    #expect(weight(.init(signpost: "import")) == 4e6)
    #expect(weight(.init(), state: .waiting) == 50e6)
    #expect(weight(.init(thread: "unknown")) == 0)
    // All samples are of launch 0, whose weight is not divided by the number of launches.
    #expect(weight(.init(launch: 0)) == 20e6)
    #expect(weight(.init(launch: 1)) == 0)
  }

  @Test func `a reversed call tree has the innermost functions at the top`() {
    let tree = CallTree(FlameData(Self.sample, launches: 1), options: .init(isReversed: true))
    #expect(Self.names(tree, tree.roots) == ["copy", "decode", "blend"])
    #expect(Self.names(tree, tree.nodes[tree.roots[0]].children) == ["decode"])
  }

  @Test func `a differential tree contains removed and new functions`() throws {
    let base = Self.profile([Self.count(1, 6)])
    let candidate = Self.profile([Self.count(3, 2)])
    let data = FlameData(
      .init(profile: candidate, launches: 1), against: .init(profile: base, launches: 2))
    let tree = CallTree(data, options: .init())
    // Per launch: 6 ms of two launches are 3 ms.
    #expect(tree.total == .init(base: 3e6, candidate: 2e6))
    #expect(Self.names(tree, tree.nodes[tree.roots[0]].children) == ["decode", "blend"])
  }

  @Test func `a side with more launches has no larger weight`() {
    // The base has a tenth of its time in a function that none of the twenty candidate launches
    // has.
    let base = Self.profile([Self.count(1, 1), Self.count(3, 9)])
    let candidate = Self.profile([Self.count(3, 180)])
    let data = FlameData(
      .init(profile: candidate, launches: 20), against: .init(profile: base, launches: 1))
    let tree = CallTree(data, options: .init())
    let gone = tree.nodes.first { data.functions[$0.function].name == "decode" }
    // 1 ms of 10 ms before and 9 ms after.
    #expect(gone.map { $0.total.sum / tree.total.sum } == 1.0 / 19)
  }

  @Test func `pruning charges the weight of removed nodes to their callers`() {
    let data = FlameData(Self.sample, launches: 1)
    let pruned = data.pruned(to: 2)
    #expect(pruned.parents.count == 2)
    let sum = { (data: FlameData) in data.rows.values.reduce(0) { $0 + $1.sum } }
    #expect(sum(pruned) == sum(data))
    #expect(data.pruned(to: 100).parents == data.parents)
  }

  @Test func `nodes of time and memory are pruned by their shares`() {
    // Bytes and nanoseconds are not comparable: `copy` has all of the memory, but far fewer bytes
    // than `blend` has nanoseconds.
    let data = FlameData(
      Self.profile([
        Self.count(3, 50), Self.count(1, 2), Self.count(2, 0.0001, state: .allocated),
      ]), launches: 1)
    let pruned = data.pruned(to: 3)
    let names = pruned.functionOfNode.map { pruned.functions[$0].name }
    #expect(names == ["main", "decode", "copy"])
  }

  @Test func `a page has time in nanoseconds and memory in bytes per launch`() {
    let profile = Self.profile([
      Self.count(1, 3), Self.count(2, 1, state: .allocated), Self.count(2, 0.5, state: .liveEnd),
    ])
    let data = FlameData(profile, launches: 1)
    // The numbers are node, thread, phase, signpost, frames, state, before, after.
    #expect(
      data.json().contains(
        "[1,0,0,0,1,0,0,3000000,2,0,0,0,1,3,0,1000000,2,0,0,0,1,5,0,500000]"))
    let difference = FlameData(
      .init(profile: profile, launches: 4000), against: .init(profile: profile, launches: 1))
    // 3 ms of 4,000 launches.
    #expect(difference.json().contains("\"rows\":[1,0,0,0,1,0,3000000,750]"))
  }

  @Test func `memory is charged to the allocating function of the program`() throws {
    let profile = Self.profile([
      Self.count(2, 3, state: .allocated), Self.count(2, 1, state: .liveEnd), Self.count(3, 7),
    ])
    let blame = Blame(profile, launches: 2, state: .allocated)
    #expect(blame.time == ["decode": 1.5e6])
    #expect(Blame(profile, launches: 2, state: .liveEnd).time == ["decode": 0.5e6])
    #expect(Blame(profile, launches: 1).time == ["blend": 7e6])
  }

  @Test
  func `memory of an object is charged to the function that creates it, time to its initialiser`() {
    let names = ["main", "Cover.__allocating_init(of:)", "swift_allocObject"]
    let profile = Profile(
      functions: names.indices.map {
        .init(
          name: names[$0], key: names[$0], module: $0 < 2 ? "App" : "libswiftCore.so",
          file: $0 < 2 ? "App.swift" : nil)
      },
      nodes: names.indices.map { .init(parent: $0 - 1, function: $0, line: 1, isInlined: false) },
      threads: [.init(name: "main", cpu: 0)], phases: [""],
      counts: [Self.count(2, 3, state: .allocated), Self.count(2, 1)], timeline: [:],
      audit: ProfileAudit())
    #expect(Blame(profile, launches: 1, state: .allocated).time == ["main": 3e6])
    #expect(Blame(profile, launches: 1).time == ["Cover.__allocating_init(of:)": 1e6])
  }

  @Test func `the table of memory has allocations, peak and end by function`() throws {
    let profile = Self.profile([
      Self.count(2, 9, state: .allocated), Self.count(2, 4, state: .livePeak),
      Self.count(3, 1, state: .allocated), Self.count(3, 1, state: .liveEnd),
      Self.count(0, 0.001, state: .allocated), Self.count(3, 7),
    ])
    let run = SampleRuns.replacingProfile(
      of: SampleRuns.run(launches: 2, warmup: 0, samples: 0), by: profile)
    let document = RunDocument(run: run, metrics: [], budgets: [], verdict: .held)
    let table = try #require(document.allocationTable)
    // A "millisecond" is a million bytes, over two launches; small shares are omitted.
    #expect(
      table.rows.map { $0.map(\.text) } == [
        ["90.0%", "4.5 MB", "2 MB", "-", "decode"], ["10.0%", "500 kB", "-", "500 kB", "blend"],
      ])
    #expect(table.caption.contains("Estimated from 10 recorded allocations"))
    let idle = SampleRuns.replacingProfile(of: run, by: Self.profile([Self.count(3, 7)]))
    #expect(
      RunDocument(run: idle, metrics: [], budgets: [], verdict: .held).allocationTable == nil)
  }

  @Test func `the table of threads begins with the most CPU time and sums up the rest`() throws {
    func document(_ cpu: [UInt64]) -> RunDocument {
      let profile = Profile(
        functions: [], nodes: [],
        threads: cpu.enumerated().map { Profile.Thread(name: "t\($0)", cpu: $1) }, phases: [],
        counts: [], timeline: [:], audit: ProfileAudit())
      let run = SampleRuns.run(launches: 2, warmup: 0, samples: 0)
      return RunDocument(
        run: SampleRuns.replacingProfile(of: run, by: profile), metrics: [], budgets: [],
        verdict: .held)
    }
    let table = try #require(document([0, 1_000_000, 3_000_000]).threadTable)
    #expect(
      table.rows.map { $0.map(\.text) } == [
        ["75.0%", "1.5 ms", "t2"], ["25.0%", "500 us", "t1"],
      ])
    #expect(document([0, 5]).threadTable == nil)
    // Eight threads are shown; the other two have 2 of 10 ms.
    let many = try #require(document(Array(repeating: 1_000_000, count: 10)).threadTable)
    #expect(many.rows.count == 9)
    #expect(many.rows.last?.map(\.text) == ["20.0%", "1 ms", "2 others"])
    let nine = try #require(document(Array(repeating: 1_000_000, count: 9)).threadTable)
    #expect(nine.rows.last?.last?.text == "1 other")
  }

  @Test func `the callees of the narrowest box are within its edges`() throws {
    // 1,007 ms in total: 997 in main, and ten callers of 1 ms each that call two functions.
    var nodes = [Profile.Node(parent: -1, function: 0, line: 1, isInlined: false)]
    var counts = [Self.count(0, 997)]
    for line in 0..<10 {
      let caller = nodes.count
      nodes.append(.init(parent: 0, function: line + 1, line: line, isInlined: false))
      for (function, milliseconds) in [(11, 0.66), (12, 0.34)] {
        counts.append(Self.count(nodes.count, milliseconds))
        nodes.append(.init(parent: caller, function: function, line: 0, isInlined: false))
      }
    }
    let profile = Profile(
      functions: (0...12).map { Self.function("f\($0)") }, nodes: nodes,
      threads: [.init(name: "main", cpu: 0)], phases: [""], counts: counts, timeline: [:],
      audit: ProfileAudit())
    let run = Run(
      id: "r1", scenario: "narrow", variant: "v", label: nil, started: Timestamp(milliseconds: 0),
      seed: 1, parameters: [:], command: [], environment: Environment(facts: [:]), definitions: [],
      launches: [], budgets: [], profile: profile, warnings: [], wasInterrupted: false)
    let svg = try #require(FlameGraph(run)).svg()
    let pattern = #/data-x="([\d.]+)" data-w="([\d.]+)" data-d="(\d+)"/#
    let frames = try svg.matches(of: pattern).map { match in
      let x = try #require(Double(match.1))
      return (x: x, end: x + (try #require(Double(match.2))), depth: Int(match.3))
    }
    #expect(frames.count == 31)
    for frame in frames where frame.depth == 2 {
      let middle = (frame.x + frame.end) / 2
      let caller = try #require(
        frames.first { $0.depth == 1 && ($0.x..<$0.end).contains(middle) })
      // A hundred-thousandth of the drawing's 1,180 pixels.
      let slack = (caller.end - caller.x) * 1e-5
      #expect(frame.x >= caller.x - slack && frame.end <= caller.end + slack)
    }
  }

  @Test func `neighbours that are too narrow are merged`() {
    let functions = (0..<100).map { Self.function("f\($0)") }
    let profile = Profile(
      functions: functions,
      nodes: functions.indices.map { .init(parent: -1, function: $0, line: 0, isInlined: false) },
      threads: [.init(name: "t", cpu: 0)], phases: [""],
      counts: functions.indices.map { Self.count($0, $0 == 0 ? 9900 : 1) }, timeline: [:],
      audit: ProfileAudit())
    let tree = CallTree(FlameData(profile, launches: 1), options: .init())
    let layout = FlameLayout(tree, narrowest: 0.001)
    // 99 functions with 1 of 9,999 each share a box of 0.0099.
    #expect(layout.boxes.count == 2)
    #expect(layout.boxes[1].merged == 99)
    #expect(layout.boxes[1].node == nil)
  }

  @Test(arguments: [
    ("BookWorkloads", ModuleKind.program), ("libswiftCore.so", .swift), ("libc.so.6", .system),
    ("libturbojpeg.so.0", .library), ("[vdso]", .system), ("[unknown]", .unknown),
    ("libFoundation.so", .swift), ("perfkit", .program),
  ])
  func `the name of a module determines its kind`(module: String, kind: ModuleKind) {
    #expect(ModuleKind(module: module) == kind)
  }
}

struct FlameSnapshotTests {
  @Test func `flame graphs match their snapshots`() throws {
    let naive = SampleDocuments.run(variant: "naive").run
    let optimised = SampleDocuments.run().run
    expectSnapshot(try #require(FlameGraph(naive)).svg(), "flame.svg")
    expectSnapshot(
      try #require(
        FlameGraph(naive, options: .init(.init(onlyMissedFrames: true), isReversed: true))
      )
      .svg(), "flame-missed-reversed.svg")
    expectSnapshot(
      try #require(FlameGraph(optimised, against: naive)).svg(), "flame-difference.svg")
  }

  @Test func `a run without a profile has no flame graph`() {
    #expect(FlameGraph(SampleRuns.run(samples: 0)) == nil)
  }
}
