internal import PerfModel

/// Detects a program whose async frames are not marked, so that awaiting callers are missing.
struct AsyncCheck {
  /// The number of samples of running threads by node of the address tree.
  private var samples: [Int32: Int] = [:]

  /// The share of samples in async code from which on a warning is given.
  private static let reportedShare = 0.01
  /// The runtime as a shared library.
  private static let library = "libswift_Concurrency.so"
  /// The functions that run jobs if the runtime is linked statically.
  private static let runners: Set<String> = ["swift_job_run", "swift_task_asyncMainDrainQueue"]

  /// Counts a sample of a running thread.
  mutating func add(_ node: Int32) { samples[node, default: 0] += 1 }

  /// Returns a warning if the concurrency runtime called sampled code and no frame is marked.
  ///
  /// - Parameters:
  ///   - tree: The address tree of all samples.
  ///   - symbols: The frames of each of its addresses.
  ///   - modules: The modules' names by index.
  ///   - engine: What took the samples.
  /// - Returns: The warning; empty if too few samples are in async code.
  /// - Complexity: O(*nodes*).
  func warnings(
    _ tree: AddressTree, _ symbols: [Symbolizer.Address: [SymbolFrame]], modules: [String],
    engine: SamplingEngine
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
    // Parents precede their children.
    let nodes = tree.nodes
    var isUnder = Array(repeating: false, count: nodes.count)
    var isCalled = isUnder
    for (index, node) in nodes.enumerated() where node.parent >= 0 {
      let outer = Int(node.parent)
      isUnder[index] = isUnder[outer] || isRuntime[Int(nodes[outer].location)]
      isCalled[index] = isCalled[outer] || isUnder[index] && !isRuntime[Int(node.location)]
    }
    var (called, all) = (0, 0)
    for (node, count) in samples where isCalled.indices.contains(Int(node)) {
      all += count
      if isCalled[Int(node)] { called += count }
    }
    guard called > 0, Double(called) >= Self.reportedShare * Double(all) else { return [] }
    let (reason, remedy) =
      switch engine {
      case .perf: (", whose callers the kernel does not know", "Use --engine signal.")
      case .signal:
        (
          " without marked frames",
          "Build it with -Xswiftc -Xfrontend -Xswiftc -enable-async-frame-pointer-all "
            + "-Xswiftc -Xfrontend -Xswiftc -swift-async-frame-pointer=always."
        )
      }
    return [
      RunWarning(
        code: "sampler.async",
        message:
          "callers that await a function are missing: \(called) of \(all) samples are in async "
          + "code\(reason)", remedy: remedy)
    ]
  }
}
