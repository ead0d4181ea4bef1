internal import PerfModel

/// Finds out whether a program's async frames are marked, without which nobody sees who awaits what.
struct AsyncCheck {
  /// Samples of running threads by their node in the call tree.
  private var samples: [Int32: Int] = [:]

  /// The part of all samples that must be of async code for a word about it.
  private static let worthAWord = 0.01
  /// Where the runtime is a library of its own.
  private static let library = "libswift_Concurrency.so"
  /// What runs jobs where it is linked statically.
  private static let runners: Set<String> = ["swift_job_run", "swift_task_asyncMainDrainQueue"]

  /// Counts a sample of a running thread.
  mutating func add(_ node: Int32) { samples[node, default: 0] += 1 }

  /// Returns a warning when the concurrency runtime called what was sampled and no frame is marked.
  ///
  /// - Parameters:
  ///   - tree: The call tree of all samples.
  ///   - symbols: The frames of each of its addresses.
  ///   - modules: The modules' names by index.
  /// - Returns: The warning; nothing when too few samples are of async code.
  /// - Complexity: O(*nodes*).
  func warnings(
    _ tree: AddressTree, _ symbols: [Symbolizer.Address: [SymbolFrame]], modules: [String]
  ) -> [RunWarning] {
    guard !tree.locations.contains(where: \.isAsync) else { return [] }
    let isRuntime = tree.locations.map { location in
      guard location.module >= 0 else { return false }
      let module = Int(location.module)
      if modules[module].hasPrefix(Self.library) { return true }
      let frames = symbols[Symbolizer.Address(module: module, address: location.address)]
      return frames?.contains { Self.runners.contains($0.name) } ?? false
    }
    guard isRuntime.contains(true) else { return [] }
    // Parents stand before their children.
    var isUnder = Array(repeating: false, count: tree.parents.count)
    var isCalled = isUnder
    for (node, parent) in tree.parents.enumerated() where parent >= 0 {
      let outer = Int(parent)
      isUnder[node] = isUnder[outer] || isRuntime[Int(tree.nodeLocations[outer])]
      isCalled[node] =
        isCalled[outer] || isUnder[node] && !isRuntime[Int(tree.nodeLocations[node])]
    }
    var (called, all) = (0, 0)
    for (node, count) in samples where isCalled.indices.contains(Int(node)) {
      all += count
      if isCalled[Int(node)] { called += count }
    }
    guard called > 0, Double(called) >= Self.worthAWord * Double(all) else { return [] }
    return [
      RunWarning(
        code: "sampler.async",
        message:
          "\(called) of \(all) samples are of async code whose frames are not marked, so the "
          + "callers behind an await are missing",
        remedy: "Build it with -Xswiftc -Xfrontend -Xswiftc -enable-async-frame-pointer-all "
          + "-Xswiftc -Xfrontend -Xswiftc -swift-async-frame-pointer=always")
    ]
  }
}
