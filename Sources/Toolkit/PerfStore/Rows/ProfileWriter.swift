internal import Foundation
internal import GRDB
internal import PerfModel

/// Writes a profile in a transaction; functions and nodes are shared by all runs of the store.
struct ProfileWriter {
  let db: Database
  let run: Int64
  let id: String

  func insert(_ profile: Profile) throws {
    try check(profile)
    let audit = try JSONText.encode(profile.audit)
    let samples = profile.counts.reduce(0) { $0 + ($1.state.subject == .thread ? $1.samples : 0) }
    try db.insertRow(into: "profiles (run, samples, audit)", [run, samples, audit])
    try insertTree(of: profile)
    try db.insertList(into: "profile_threads (run, position, name, cpu_ns)", run, profile.threads) {
      [$0.name, Int64(bitPattern: $0.cpu)]
    }
    try db.insertList(into: "profile_phases (run, position, name)", run, profile.phases) { [$0] }
    try db.insertList(into: "profile_signposts (run, position, name)", run, profile.signposts) {
      [$0]
    }
    try db.insertList(
      into: "profile_modules (run, position, name, path, build_id)", run, profile.modules
    ) {
      [$0.name, $0.path, $0.buildID]
    }
    try db.insertList(
      into: """
        profile_counts (run, position, iteration, node, thread, phase, signpost, frame_class, state,
          samples, weight_ns)
        """, run, profile.counts
    ) {
      [
        $0.launch, $0.node, $0.thread, $0.phase, $0.signpost, $0.frameClass.rawValue,
        $0.state.rawValue, $0.samples, $0.weight,
      ]
    }
    for (launch, moments) in profile.timeline.sorted(by: { $0.key < $1.key }) {
      try db.insertRow(
        into: "timelines (run, iteration, samples, data)",
        [run, launch, moments.count, Data(TimelineCodec.encode(moments))])
    }
  }

  private func insertTree(of profile: Profile) throws {
    let functions = try profile.functions.map { function in
      try db.key(
        in: "functions (name, stable_name, signature, module, file)",
        where: "name = ? AND stable_name = ? AND signature IS ? AND module = ? AND file IS ?",
        [function.name, function.key, function.signature, function.module, function.file])
    }
    var nodes: [Int64] = []
    for node in profile.nodes {
      let parent = node.parent < 0 ? nil : nodes[node.parent]
      nodes.append(
        try db.key(
          in: "nodes (parent, function, line, is_inlined, is_async)",
          where: "parent IS ? AND function = ? AND line = ? AND is_inlined = ? AND is_async = ?",
          [parent, functions[node.function], node.line, node.isInlined, node.isAsync]))
    }
    try db.insertList(into: "profile_functions (run, position, function)", run, functions) { [$0] }
    try db.insertList(into: "profile_nodes (run, position, node)", run, nodes) { [$0] }
  }

  /// Checks every index, so that an unreadable profile is never stored.
  private func check(_ profile: Profile) throws {
    for (position, node) in profile.nodes.enumerated() {
      guard (-1..<position).contains(node.parent),
        profile.functions.indices.contains(node.function)
      else {
        throw StoreError.unstorable(
          run: id, reason: "node \(position) of its call tree has an invalid index")
      }
    }
    let limits = ProfileLimits(
      nodes: profile.nodes.count, threads: profile.threads.count, phases: profile.phases.count,
      signposts: profile.signposts.count)
    let countsAreSound = profile.counts.allSatisfy {
      limits.contain(node: $0.node, thread: $0.thread, phase: $0.phase, signpost: $0.signpost)
        && !$0.weight.isNaN && ProfileReader.possibleSamples.contains($0.samples)
    }
    guard countsAreSound else {
      throw StoreError.unstorable(run: id, reason: "a count of its profile has an invalid index")
    }
    let timelineIsSound = profile.timeline.values.joined().allSatisfy {
      limits.contain(node: $0.node, thread: $0.thread, phase: $0.phase, signpost: $0.signpost)
    }
    guard timelineIsSound else {
      throw StoreError.unstorable(run: id, reason: "a sample of its time line has an invalid index")
    }
  }
}
