import PerfModel

@testable import PerfReport

/// A profile with known sums: main calls decode (3 ms self time) and blend; decode calls copy.
enum SmallTree {
  static func function(_ name: String, _ module: String = "App") -> Profile.Function {
    .init(name: name, key: name, module: module, file: module == "App" ? "App.swift" : nil)
  }

  static func count(
    _ node: Int, _ milliseconds: Double, launch: Int = 0, thread: Int = 0, signpost: Int = 0,
    frameClass: Profile.FrameClass = .onTime, state: Profile.State = .running
  ) -> Profile.Count {
    .init(
      launch: launch, node: node, thread: thread, phase: 0, signpost: signpost,
      frameClass: frameClass, state: state, samples: Int(milliseconds), weight: milliseconds * 1e6)
  }

  static func profile(_ counts: [Profile.Count]) -> Profile {
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

  static let sample = profile([
    count(1, 3), count(2, 4, signpost: 1), count(3, 2, frameClass: .missed), count(5, 1, thread: 1),
    count(3, 50, state: .waiting),
  ])

  static func names(_ tree: CallTree, _ nodes: [Int]) -> [String] {
    nodes.map { tree.functions[tree.nodes[$0].function].name }
  }
}

extension FlameData {
  init(_ profile: Profile, launches: Int, filter: SampleFilter = SampleFilter()) {
    self.init(Side(profile: profile, launches: launches), filter: filter)
  }
}
