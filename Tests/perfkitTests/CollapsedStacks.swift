import Testing

/// The output of `export --to collapsed`: a stack and its count in each line.
struct CollapsedStacks {
  let lines: [String]

  init(_ text: String) { lines = text.split(separator: "\n").map(String.init) }

  /// Returns the sum of the counts of matching lines.
  func samples(where matches: (String) -> Bool = { _ in true }) -> Int {
    lines.filter(matches).reduce(0) { $0 + (Int($1.split(separator: " ").last ?? "") ?? 0) }
  }
}

/// The profile of the latest run in a test's store.
struct LatestProfile {
  let samples: Int
  let complete: Int
  let failed: Int
  /// The stacks of running threads.
  let stacks: CollapsedStacks

  /// The samples of running threads; the others waited for a CPU, on a busy machine most of them.
  var running: Int { stacks.samples() }

  init(_ perfkit: TestCommand) throws {
    let run = try perfkit("show", "latest", "--format", "json").json()
    let profile = try #require(run["profile"] as? [String: Any])
    samples = try #require(profile["samples"] as? Int)
    complete = try #require(profile["complete"] as? Int)
    failed = try #require(profile["failed"] as? Int)
    stacks = CollapsedStacks(perfkit("export", "latest", "--to", "collapsed", "-o", "-").output)
  }
}
