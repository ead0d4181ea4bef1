internal import Foundation
internal import GRDB
internal import PerfModel

/// Reads the profile of a run.
struct ProfileReader {
  /// The valid sample counts: more than a day at the highest rate, and sums do not overflow.
  static let possibleSamples = 0...1 << 40

  let reader: RunReader

  /// Returns the profile, or nil if the run has none.
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
    let limits = Limits(
      nodes: nodes.count, threads: threads.count, phases: phases.count, signposts: signposts.count)
    return Profile(
      functions: functions, nodes: nodes, threads: threads, phases: phases, signposts: signposts,
      counts: try counts(within: limits),
      timeline: reader.contents.contains(.timeline) ? try timeline(within: limits) : [:],
      audit: audit, modules: try modules())
  }

  private func rows(_ sql: String) throws -> RowCursor {
    try Row.fetchCursor(
      try reader.db.cachedStatement(sql: sql), arguments: [reader.key])
  }

  /// Returns the functions in order, and the index of each function's key.
  private func functions() throws -> ([Profile.Function], [Int64: Int]) {
    var functions: [Profile.Function] = []
    var positions: [Int64: Int] = [:]
    let rows = try rows(
      """
      SELECT functions.key, name, stable_name, signature, module, file FROM profile_functions
      JOIN functions ON functions.key = function WHERE run = ? ORDER BY position
      """)
    while let row = try rows.next() {
      let key: Int64 = row[0]
      if positions[key] == nil { positions[key] = functions.count }
      functions.append(
        .init(name: row[1], key: row[2], signature: row[3], module: row[4], file: row[5]))
    }
    return (functions, positions)
  }

  private func nodes(functions: [Int64: Int]) throws -> [Profile.Node] {
    var nodes: [Profile.Node] = []
    var positions: [Int64: Int] = [:]
    let rows = try rows(
      """
      SELECT nodes.key, parent, function, line, is_inlined, is_async FROM profile_nodes
      JOIN nodes ON nodes.key = node WHERE run = ? ORDER BY position
      """)
    while let row = try rows.next() {
      let key: Int64 = row[0]
      let caller = row[1] as Int64?
      guard let function = functions[row[2]],
        let parent = caller.map({ positions[$0] }) ?? -1
      else { throw reader.damaged("node \(key) has no caller or function") }
      if positions[key] == nil { positions[key] = nodes.count }
      nodes.append(
        .init(
          parent: parent, function: function, line: row[3], isInlined: row[4], isAsync: row[5]))
    }
    return nodes
  }

  private func modules() throws -> [Profile.Module] {
    let rows = try rows(
      "SELECT name, path, build_id FROM profile_modules WHERE run = ? ORDER BY position")
    var modules: [Profile.Module] = []
    while let row = try rows.next() {
      modules.append(.init(name: row[0], path: row[1], buildID: row[2]))
    }
    return modules
  }

  private func threads() throws -> [Profile.Thread] {
    let rows = try rows("SELECT name, cpu_ns FROM profile_threads WHERE run = ? ORDER BY position")
    var threads: [Profile.Thread] = []
    while let row = try rows.next() {
      let cpu: Int64 = row[1]
      threads.append(.init(name: row[0], cpu: UInt64(bitPattern: cpu)))
    }
    return threads
  }

  /// The numbers of nodes, threads, phases and signposts, for checking indices.
  private struct Limits {
    let nodes: Int
    let threads: Int
    let phases: Int
    let signposts: Int

    func contain(node: Int, thread: Int, phase: Int, signpost: Int) -> Bool {
      (0..<nodes).contains(node) && (0..<threads).contains(thread)
        && (0..<phases).contains(phase) && (0..<signposts).contains(signpost)
    }
  }

  private func names(from table: String) throws -> [String] {
    let rows = try rows("SELECT name FROM \(table) WHERE run = ? ORDER BY position")
    var names: [String] = []
    while let row = try rows.next() { names.append(row[0]) }
    return names
  }

  private func counts(within limits: Limits) throws -> [Profile.Count] {
    let rows = try rows(
      """
      SELECT iteration, node, thread, phase, frame_class, state, samples, weight_ns, signpost
      FROM profile_counts WHERE run = ? ORDER BY position
      """)
    var counts: [Profile.Count] = []
    while let row = try rows.next() {
      let (node, thread, phase, signpost): (Int, Int, Int, Int) = (row[1], row[2], row[3], row[8])
      let samples: Int = row[6]
      guard let frameClass = Profile.FrameClass(rawValue: row[4]),
        let state = Profile.State(rawValue: row[5]),
        limits.contain(node: node, thread: thread, phase: phase, signpost: signpost)
      else { throw reader.damaged("a count of the profile has an invalid index") }
      guard Self.possibleSamples.contains(samples) else {
        throw reader.damaged("a count of the profile has \(samples) samples")
      }
      counts.append(
        .init(
          launch: row[0], node: node, thread: thread, phase: phase, signpost: signpost,
          frameClass: frameClass, state: state, samples: samples, weight: row[7]))
    }
    return counts
  }

  private func timeline(within limits: Limits) throws -> [Int: [Profile.Moment]] {
    var timeline: [Int: [Profile.Moment]] = [:]
    let rows = try rows("SELECT iteration, data FROM timelines WHERE run = ?")
    while let row = try rows.next() {
      let launch: Int = row[0]
      let data: Data = row[1]
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
