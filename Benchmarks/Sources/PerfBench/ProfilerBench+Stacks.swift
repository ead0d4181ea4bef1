internal import Foundation
internal import PerfModel
internal import PerfProfile
internal import PerfStore
internal import Synchronization

/// The processing of samples: stacks, symbols, rows of the store.
extension ProfilerBench {
  private func scrolls(
    _ workshop: BenchWorkshop, launches: Int, inspect: (@Sendable (Capture) -> Void)? = nil
  ) throws -> (launches: [Launch], profile: Profile?) {
    let folder = FileManager.default.currentDirectoryPath
    return try workshop.run(
      "book.scroll", worker: "BookWorkloads", parameters: ["books": .int(200)],
      setting: BenchWorkshop.Setting(name: "perfkit", rate: 1000),
      cache: cache.hasPrefix("/") ? cache : "\(folder)/\(cache)", launches: launches,
      inspect: inspect)
  }

  /// Measures the time to unwind a sample of a real scroll, and to symbolicate an address.
  func unwinding(_ workshop: BenchWorkshop, _ table: FigureTable) throws {
    let captures = Mutex<[Capture]>([])
    // Five launches, so that one-time costs such as reading symbol tables do not dominate.
    let (_, profile) = try scrolls(workshop, launches: 5) { capture in
      captures.withLock { $0.append(capture) }
    }
    guard let audit = profile?.audit else { return }
    let caches = try [0, 1, 2, 3, 4, 0].map { number in
      let store = try RunStore(path: workshop.file("symbols-\(number).sqlite"))
      return SymbolCache(
        load: store.readSymbols(keys:visit:), change: store.changeSymbols(keys:change:))
    }
    let measurement = try ProfilerMeasurement(
      captures.withLock { $0 }, empty: Array(caches[..<5]), reopened: caches[5])
    let first = Self.microseconds(measurement.first)
    table.add(
      "offline unwinding, a sample of real scrolls", target: "<= 4 us",
      measured: "\(Self.number(first)) us, \(Self.frames(measurement.first)) frames, "
        + "\(measurement.first.stacks) samples; again "
        + "\(Self.number(Self.microseconds(measurement.again))) us; each stack to its end "
        + "\(Self.number(Self.microseconds(measurement.whole))) us",
      peer: "libunwind with its cache, each stack to its end: "
        + "\(Self.number(Self.microseconds(measurement.libunwind))) us",
      isMet: first <= 4)
    let seen = Self.microseconds(measurement.seen)
    table.add(
      "offline unwinding, a repeated stack", target: "<= 1 us", measured: "\(Self.number(seen)) us",
      isMet: seen <= 1)
    table.add(
      "stacks that differ from libunwind's", target: "0",
      measured: "\(measurement.differing) of \(measurement.first.stacks)",
      isMet: measurement.differing == 0)
    let fresh = Self.microseconds(measurement.fresh)
    table.add(
      "symbols with inlines and lines, a new address", target: "<= 30 us",
      measured: "\(Self.number(fresh)) us, \(measurement.fresh.addresses) addresses of the scroll, "
        + "including the tool's start", isMet: fresh <= 30)
    let batch = Self.microseconds(measurement.batch)
    table.add(
      "symbols with inlines and lines, many addresses", target: "<= 30 us",
      measured: "\(Self.number(batch)) us, \(measurement.batch.addresses) functions",
      peer: "llvm-symbolizer alone: \(Self.number(Self.microseconds(measurement.tool))) us",
      isMet: batch <= 30)
    let known = Self.microseconds(measurement.cached)
    table.add(
      "symbols with inlines and lines, from the store", target: "<= 2 us",
      measured: "\(Self.number(known)) us",
      isMet: known <= 2)
    table.add(
      "addresses whose names differ from llvm-symbolizer's", target: "0",
      measured: "\(measurement.misread) of \(measurement.explained) with debug information",
      isMet: measurement.misread == 0)
    let share = Double(audit.complete) / Double(max(audit.samples, 1))
    table.add(
      "complete stacks, scroll", target: ">= 99.9 %",
      measured: "\(NumberFormat.human(share, .ratio)), \(audit.complete) of \(audit.samples)"
        + audit.failures.sorted { $0.key < $1.key }.map { "; \($0.value) \($0.key)" }.joined(),
      isMet: share >= 0.999)
  }

  private static func microseconds(_ pass: ProfilerMeasurement.Pass) -> Double {
    Double(pass.nanoseconds) / 1000 / Double(max(pass.stacks, 1))
  }

  private static func microseconds(_ naming: ProfilerMeasurement.Naming) -> Double {
    Double(naming.nanoseconds) / 1000 / Double(max(naming.addresses, 1))
  }

  private static func frames(_ pass: ProfilerMeasurement.Pass) -> String {
    number(Double(pass.frames) / Double(max(pass.stacks, 1)))
  }

  /// Measures the bytes per sample in the store, including the time line, for runs of ten launches
  /// and one.
  ///
  /// A run of one launch has the same number of new functions and stacks for fewer samples.
  func store(_ workshop: BenchWorkshop, _ table: FigureTable) throws {
    var found: [(bytes: Double, samples: Int)] = []
    for launches in [10, 1] {
      let (measured, profile) = try scrolls(workshop, launches: launches)
      guard let samples = profile?.audit.samples, samples > 0 else { return }
      var sizes: [Int] = []
      for kept in [nil, profile] {
        let path = workshop.file("size-\(launches)-\(sizes.count).sqlite")
        let store = try RunStore(path: path)
        try store.save(
          Run(
            id: "rbench", scenario: "bench", variant: "bench", label: nil,
            started: Timestamp(milliseconds: 0), seed: 1, parameters: [:], command: [],
            environment: Environment(facts: [:]), definitions: [], launches: measured,
            budgets: [], profile: kept, warnings: [], wasInterrupted: false))
        try store.backUp(to: path + ".copy")
        sizes.append(
          try FileManager.default.attributesOfItem(atPath: path + ".copy")[.size] as? Int ?? 0)
      }
      found.append((Double(sizes[1] - sizes[0]) / Double(samples), samples))
    }
    table.add(
      "data in the store, including the time line", target: "<= 0.1 KB per sample",
      measured: "ten launches \(Self.number(found[0].bytes)) B per sample of \(found[0].samples); "
        + "one \(Self.number(found[1].bytes)) B of \(found[1].samples)",
      peer: "perf: 0.32 KB (frame pointers), 8.4 KB (DWARF)", isMet: found[0].bytes <= 100)
  }

  /// Measures the share of samples inside `leaf` that show its logical callers.
  func async(_ workshop: BenchWorkshop, _ table: FigureTable) throws {
    let (_, profile) = try workshop.launch(
      "bench.async", parameters: ["rounds": .int(4000)],
      setting: BenchWorkshop.Setting(name: "perfkit", rate: 1000))
    guard let profile else { return }
    var (inside, explained) = (0, 0)
    for count in profile.counts where count.state == .running {
      let path = profile.path(of: count.node)
      guard path.contains(where: { $0.name == "leaf(_:)" && !$0.isAwaiting }) else { continue }
      inside += count.samples
      let callers = path.filter(\.isAwaiting).map(\.name)
      if let mid = callers.firstIndex(of: "mid(_:)"),
        let outer = callers.firstIndex(of: "outer(_:)"), mid < outer
      {
        explained += count.samples
      }
    }
    let share = Double(explained) / Double(max(inside, 1))
    table.add(
      "async: outer > mid > leaf in samples inside leaf", target: ">= 95 %",
      measured: "\(NumberFormat.human(share, .ratio)) of \(inside)", isMet: share >= 0.95)
  }
}

extension Profile {
  /// Returns the functions of a stack, innermost first.
  func path(of node: Int) -> [(name: String, isAwaiting: Bool)] {
    var path: [(name: String, isAwaiting: Bool)] = []
    var next = node
    while next >= 0 {
      let node = nodes[next]
      path.append((functions[node.function].name, node.isAsync))
      next = node.parent
    }
    return path
  }
}
