import PerfModel
import Testing

@testable import PerfProfile

extension ProfileBuilder {
  /// Returns the profile of one capture.
  static func profile(
    of capture: Capture, tools: ToolPaths = .found(), cache: SymbolCache? = nil
  ) throws -> Profile {
    let builder = ProfileBuilder(tools: tools, cache: cache)
    try builder.add(capture, launch: 0, measured: 0 ... .max)
    return builder.finish()
  }
}

extension SymbolCache {
  /// Returns a cache whose store is in memory.
  static func inMemory() -> SymbolCache {
    var kept: [String: [UInt8]] = [:]
    return SymbolCache(
      load: { keys, visit in
        for (place, key) in keys.enumerated() {
          if let bytes = kept[key] { visit(place, bytes) }
        }
      },
      change: { keys, change in
        for key in keys { kept[key] = change(key, kept[key]) }
      })
  }
}

extension Profile {
  /// Returns the names of a node and its callers, innermost first.
  func names(from node: Int) -> [String] {
    var names: [String] = []
    var next = node
    while next >= 0 {
      names.append(functions[nodes[next].function].name)
      next = nodes[next].parent
    }
    return names
  }

  /// Returns the stacks of a launch in order of time, each innermost first.
  func stacks(_ launch: Int = 0) -> [[String]] {
    (timeline[launch] ?? []).map { names(from: $0.node) }
  }
}

/// A suite that runs C programs and reads their profiles.
protocol ProgramProfiling {}

extension ProgramProfiling {
  /// Runs a program and returns its profile.
  func profile(
    _ words: [String], of program: TestProgram? = nil, stackBytes: Int = 16 << 10
  ) throws -> Profile {
    let segment = try CaptureSegment(.small(stackBytes: stackBytes))
    let program = try program ?? TestProgram.stacks()
    let (status, capture) = try program.run(words, in: segment)
    try #require(status == 0)
    #expect(capture.garbage == 0)
    return try ProfileBuilder.profile(of: capture)
  }

  /// Returns the names up to `main` after checking that the rest ends at the start of the program.
  ///
  /// Functions of the C library in between have names only where its symbols are installed.
  func upToMain(_ names: [String]?) -> [String] {
    guard let names, names.last == "_start", let main = names.lastIndex(of: "main") else {
      return []
    }
    return Array(names[...main])
  }
}
