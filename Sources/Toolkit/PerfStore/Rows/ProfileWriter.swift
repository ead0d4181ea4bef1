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
    let samples = profile.counts.reduce(0) { $0 + ($1.state.dimension == .time ? $1.samples : 0) }
    try db.insertRow(into: "profiles (run, samples, audit)", [run, samples, audit])
    try insertTree(of: profile)
    for (position, thread) in profile.threads.enumerated() {
      try db.insertRow(
        into: "profile_threads (run, position, name, cpu_ns)",
        [run, position, thread.name, Int64(bitPattern: thread.cpu)])
    }
    for (position, name) in profile.phases.enumerated() {
      try db.insertRow(into: "profile_phases (run, position, name)", [run, position, name])
    }
    for (position, name) in profile.signposts.enumerated() {
      try db.insertRow(into: "profile_signposts (run, position, name)", [run, position, name])
    }
    for (position, module) in profile.modules.enumerated() {
      try db.insertRow(
        into: "profile_modules (run, position, name, path, build_id)",
        [run, position, module.name, module.path, module.buildID])
    }
    for (position, count) in profile.counts.enumerated() {
      try db.insertRow(
        into: """
          profile_counts (run, position, iteration, node, thread, phase, signpost,
            frame_class, state, samples, weight_ns)
          """,
        [
          run, position, count.launch, count.node, count.thread, count.phase,
          count.signpost, count.frameClass.rawValue, count.state.rawValue, count.samples,
          count.weight,
        ])
    }
    for (launch, moments) in profile.timeline.sorted(by: { $0.key < $1.key }) {
      try db.insertRow(
        into: "timelines (run, iteration, samples, data)",
        [run, launch, moments.count, Data(TimelineCodec.encode(moments))])
    }
  }

  private func insertTree(of profile: Profile) throws {
    var functions: [Int64] = []
    for (position, function) in profile.functions.enumerated() {
      let key = try key(of: function)
      functions.append(key)
      try db.insertRow(
        into: "profile_functions (run, position, function)", [run, position, key])
    }
    var nodes: [Int64] = []
    for (position, node) in profile.nodes.enumerated() {
      let parent = node.parent < 0 ? nil : nodes[node.parent]
      let key = try key(of: node, parent: parent, function: functions[node.function])
      nodes.append(key)
      try db.insertRow(into: "profile_nodes (run, position, node)", [run, position, key])
    }
  }

  private func key(of function: Profile.Function) throws -> Int64 {
    let values: StatementArguments = [
      function.name, function.key, function.signature, function.module, function.file,
    ]
    let select = try db.cachedStatement(
      sql: """
        SELECT key FROM functions
        WHERE name = ? AND stable_name = ? AND signature IS ? AND module = ? AND file IS ?
        """)
    if let key = try Int64.fetchOne(select, arguments: values) { return key }
    try db.insertRow(into: "functions (name, stable_name, signature, module, file)", values)
    return db.lastInsertedRowID
  }

  private func key(of node: Profile.Node, parent: Int64?, function: Int64) throws -> Int64 {
    let values: StatementArguments = [
      parent, function, node.line, node.isInlined, node.isAsync,
    ]
    let select = try db.cachedStatement(
      sql: """
        SELECT key FROM nodes WHERE parent IS ? AND function = ? AND line = ? AND is_inlined = ?
        AND is_async = ?
        """)
    if let key = try Int64.fetchOne(select, arguments: values) { return key }
    try db.insertRow(into: "nodes (parent, function, line, is_inlined, is_async)", values)
    return db.lastInsertedRowID
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
    let (nodes, threads) = (profile.nodes.indices, profile.threads.indices)
    let countsAreSound = profile.counts.allSatisfy { count in
      nodes.contains(count.node) && threads.contains(count.thread)
        && profile.phases.indices.contains(count.phase)
        && profile.signposts.indices.contains(count.signpost) && !count.weight.isNaN
        && ProfileReader.possibleSamples.contains(count.samples)
    }
    guard countsAreSound else {
      throw StoreError.unstorable(run: id, reason: "a count of its profile has an invalid index")
    }
    let timelineIsSound = profile.timeline.values.allSatisfy { moments in
      moments.allSatisfy {
        nodes.contains($0.node) && threads.contains($0.thread)
          && profile.phases.indices.contains($0.phase)
          && profile.signposts.indices.contains($0.signpost)
      }
    }
    guard timelineIsSound else {
      throw StoreError.unstorable(run: id, reason: "a sample of its time line has an invalid index")
    }
  }
}
