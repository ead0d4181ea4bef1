internal import Foundation
internal import GRDB
internal import PerfModel

struct ProfileReader {
  /// The valid sample counts: more than a day at the highest rate, and sums do not overflow.
  static let possibleSamples = 0...1 << 40

  let reader: RunReader

  func profile() throws -> Profile? {
    let sql = "SELECT audit FROM profiles WHERE run = ?"
    guard let text = try String.fetchOne(reader.db, sql: sql, arguments: [reader.key]) else {
      return nil
    }
    let audit: ProfileAudit = try reader.decode("the audit") { try JSONText.decode(text) }
    let (functions, positions) = try functions()
    let nodes = try nodes(functions: positions)
    let threads = try threads()
    let phases = try names(from: "profile_phases")
    let signposts = try names(from: "profile_signposts")
    let limits = ProfileLimits(
      nodes: nodes.count, threads: threads.count, phases: phases.count, signposts: signposts.count)
    return Profile(
      functions: functions, nodes: nodes, threads: threads, phases: phases, signposts: signposts,
      counts: try counts(within: limits),
      timeline: reader.contents.contains(.timeline) ? try timeline(within: limits) : [:],
      audit: audit, modules: try modules())
  }

  /// Returns the functions in order, and the index of each function's key.
  private func functions() throws -> ([Profile.Function], [Int64: Int]) {
    var functions: [Profile.Function] = []
    var positions: [Int64: Int] = [:]
    try reader.each(
      """
      SELECT functions.key, name, stable_name, signature, module, file FROM profile_functions
      JOIN functions ON functions.key = function WHERE run = ? ORDER BY position
      """
    ) { row in
      let key: Int64 = try row.decode(atIndex: 0)
      if positions[key] == nil { positions[key] = functions.count }
      functions.append(
        .init(
          name: try row.decode(atIndex: 1), key: try row.decode(atIndex: 2),
          signature: try row.decode(atIndex: 3), module: try row.decode(atIndex: 4),
          file: try row.decode(atIndex: 5)))
    }
    return (functions, positions)
  }

  private func nodes(functions: [Int64: Int]) throws -> [Profile.Node] {
    var nodes: [Profile.Node] = []
    var positions: [Int64: Int] = [:]
    try reader.each(
      """
      SELECT nodes.key, parent, function, line, is_inlined, is_async FROM profile_nodes
      JOIN nodes ON nodes.key = node WHERE run = ? ORDER BY position
      """
    ) { row in
      let key: Int64 = try row.decode(atIndex: 0)
      let caller: Int64? = try row.decode(atIndex: 1)
      guard let function = functions[try row.decode(atIndex: 2)],
        let parent = caller.map({ positions[$0] }) ?? -1
      else { throw reader.damaged("node \(key) has no caller or function") }
      if positions[key] == nil { positions[key] = nodes.count }
      nodes.append(
        .init(
          parent: parent, function: function, line: try row.decode(atIndex: 3),
          isInlined: try row.decode(atIndex: 4), isAsync: try row.decode(atIndex: 5)))
    }
    return nodes
  }

  private func modules() throws -> [Profile.Module] {
    let sql = "SELECT name, path, build_id FROM profile_modules WHERE run = ? ORDER BY position"
    return try reader.rows(sql) {
      .init(
        name: try $0.decode(atIndex: 0), path: try $0.decode(atIndex: 1),
        buildID: try $0.decode(atIndex: 2))
    }
  }

  private func threads() throws -> [Profile.Thread] {
    let sql = "SELECT name, cpu_ns FROM profile_threads WHERE run = ? ORDER BY position"
    return try reader.rows(sql) { row in
      .init(
        name: try row.decode(atIndex: 0),
        cpu: UInt64(bitPattern: try row.decode(Int64.self, atIndex: 1)))
    }
  }

  private func names(from table: String) throws -> [String] {
    try reader.rows("SELECT name FROM \(table) WHERE run = ? ORDER BY position") {
      try $0.decode(atIndex: 0)
    }
  }

  private func counts(within limits: ProfileLimits) throws -> [Profile.Count] {
    let sql = """
      SELECT iteration, node, thread, phase, frame_class, state, samples, weight_ns, signpost
      FROM profile_counts WHERE run = ? ORDER BY position
      """
    return try reader.rows(sql) { row in
      let (node, thread): (Int, Int) = (try row.decode(atIndex: 1), try row.decode(atIndex: 2))
      let (phase, signpost): (Int, Int) = (try row.decode(atIndex: 3), try row.decode(atIndex: 8))
      let samples: Int = try row.decode(atIndex: 6)
      guard let frameClass = Profile.FrameClass(rawValue: try row.decode(atIndex: 4)),
        let state = Profile.State(rawValue: try row.decode(atIndex: 5)),
        limits.contain(node: node, thread: thread, phase: phase, signpost: signpost)
      else { throw reader.damaged("a count of the profile has an invalid index") }
      guard Self.possibleSamples.contains(samples) else {
        throw reader.damaged("a count of the profile has \(samples) samples")
      }
      return .init(
        launch: try row.decode(atIndex: 0), node: node, thread: thread, phase: phase,
        signpost: signpost,
        frameClass: frameClass, state: state, samples: samples, weight: try row.decode(atIndex: 7))
    }
  }

  private func timeline(within limits: ProfileLimits) throws -> [Int: [Profile.Moment]] {
    var timeline: [Int: [Profile.Moment]] = [:]
    try reader.each("SELECT iteration, data FROM timelines WHERE run = ?") { row in
      let launch: Int = try row.decode(atIndex: 0)
      let data: Data = try row.decode(atIndex: 1)
      let moments = try reader.decode("the time line of launch \(launch)") {
        try TimelineCodec.decode([UInt8](data))
      }
      let isSound = moments.allSatisfy {
        limits.contain(
          node: $0.node, thread: $0.thread, phase: $0.phase, signpost: $0.signpost)
      }
      guard isSound else {
        throw reader.damaged("the time line of launch \(launch) has an invalid index")
      }
      timeline[launch] = moments
    }
    return timeline
  }
}

/// The numbers of nodes, threads, phases and signposts, for checking indices.
struct ProfileLimits {
  let nodes: Int
  let threads: Int
  let phases: Int
  let signposts: Int

  func contain(node: Int, thread: Int, phase: Int, signpost: Int) -> Bool {
    (0..<nodes).contains(node) && (0..<threads).contains(thread)
      && (0..<phases).contains(phase) && (0..<signposts).contains(signpost)
  }
}
