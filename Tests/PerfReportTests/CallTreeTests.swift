import PerfModel
import Testing

@testable import PerfReport

/// Call trees, and the data of flame graphs from which they are made.
struct CallTreeTests {
  @Test func `a call tree merges the lines of a function and sorts by weight`() {
    let tree = CallTree(FlameData(SmallTree.sample, launches: 1), options: .init())
    #expect(SmallTree.names(tree, tree.roots) == ["main"])
    #expect(SmallTree.names(tree, tree.nodes[tree.roots[0]].children) == ["decode", "blend"])
    #expect(tree.total.candidate == 10e6)
  }

  @Test func `specialised functions have the name of the original function`() {
    let profile = Profile(
      functions: ["partial apply for draw()", "draw()", "specialized draw()"].map {
        .init(name: $0, key: "draw()", module: "App", file: "App.swift")
      },
      nodes: (0..<3).map { .init(parent: -1, function: $0, line: 1, isInlined: false) },
      threads: [.init(name: "main", cpu: 0)], phases: [""],
      counts: (0..<3).map { SmallTree.count($0, 1) }, timeline: [:], audit: ProfileAudit())
    #expect(HotFunctions(profile).functions.map(\.function.name) == ["draw()"])
    let tree = CallTree(FlameData(profile, launches: 1), options: .init())
    #expect(SmallTree.names(tree, tree.roots) == ["draw()"])
    #expect(Blame(profile, launches: 1).names == ["draw()": "draw()"])
  }

  @Test func `a filter selects by frame, thread, signpost, launch and state`() {
    func weight(_ filter: SampleFilter, state: Profile.State = .running) -> Double {
      let data = FlameData(SmallTree.sample, launches: 2, filter: filter)
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
    let tree = CallTree(FlameData(SmallTree.sample, launches: 1), options: .init(isReversed: true))
    #expect(SmallTree.names(tree, tree.roots) == ["copy", "decode", "blend"])
    #expect(SmallTree.names(tree, tree.nodes[tree.roots[0]].children) == ["decode"])
  }

  @Test func `a differential tree contains removed and new functions`() throws {
    let base = SmallTree.profile([SmallTree.count(1, 6)])
    let candidate = SmallTree.profile([SmallTree.count(3, 2)])
    let data = FlameData(
      .init(profile: candidate, launches: 1), against: .init(profile: base, launches: 2))
    let tree = CallTree(data, options: .init())
    // Per launch: 6 ms of two launches are 3 ms.
    #expect(tree.total == .init(base: 3e6, candidate: 2e6))
    #expect(SmallTree.names(tree, tree.nodes[tree.roots[0]].children) == ["decode", "blend"])
  }

  @Test func `a side with more launches has no larger weight`() {
    // The base has a tenth of its time in a function that none of the twenty candidate launches
    // has.
    let base = SmallTree.profile([SmallTree.count(1, 1), SmallTree.count(3, 9)])
    let candidate = SmallTree.profile([SmallTree.count(3, 180)])
    let data = FlameData(
      .init(profile: candidate, launches: 20), against: .init(profile: base, launches: 1))
    let tree = CallTree(data, options: .init())
    let gone = tree.nodes.first { data.functions[$0.function].name == "decode" }
    // 1 ms of 10 ms before and 9 ms after.
    #expect(gone.map { $0.total.sum / tree.total.sum } == 1.0 / 19)
  }

  @Test func `pruning charges the weight of removed nodes to their callers`() {
    let data = FlameData(SmallTree.sample, launches: 1)
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
      SmallTree.profile([
        SmallTree.count(3, 50), SmallTree.count(1, 2),
        SmallTree.count(2, 0.0001, state: .allocated),
      ]), launches: 1)
    let pruned = data.pruned(to: 3)
    let names = pruned.functionOfNode.map { pruned.functions[$0].name }
    #expect(names == ["main", "decode", "copy"])
  }

  @Test func `a page has time in nanoseconds and memory in bytes per launch`() {
    let profile = SmallTree.profile([
      SmallTree.count(1, 3), SmallTree.count(2, 1, state: .allocated),
      SmallTree.count(2, 0.5, state: .liveEnd),
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
}
