import Testing

/// What `export --to collapsed` has written: a stack and its count a line.
struct CollapsedStacks {
  let lines: [String]

  init(_ text: String) { lines = text.split(separator: "\n").map(String.init) }

  /// Adds up the counts of the lines that a test is about.
  func samples(where isMeant: (String) -> Bool = { _ in true }) -> Int {
    lines.filter(isMeant).reduce(0) { $0 + (Int($1.split(separator: " ").last ?? "") ?? 0) }
  }
}

/// What the latest run of a test's store has of stacks.
struct LatestProfile {
  let samples: Int
  let complete: Int
  let failed: Int
  let stacks: CollapsedStacks

  init(_ perfkit: TestCommand) throws {
    let run = try perfkit("show", "latest", "--format", "json").json()
    let profile = try #require(run["profile"] as? [String: Any])
    samples = try #require(profile["samples"] as? Int)
    complete = try #require(profile["complete"] as? Int)
    failed = try #require(profile["failed"] as? Int)
    stacks = CollapsedStacks(perfkit("export", "latest", "--to", "collapsed", "-o", "-").output)
  }
}
