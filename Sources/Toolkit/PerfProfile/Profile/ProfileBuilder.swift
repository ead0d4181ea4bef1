public import PerfModel

/// Builds the profile of a run from the captures of its launches.
///
/// Launches are added one by one and their samples are released; symbols are looked up once, at the
/// end. Memory grows with the number of different stacks, and by about 100 bytes per sample for the
/// timeline. It belongs to one thread at a time.
public final class ProfileBuilder {
  private struct CountKey: Hashable {
    let launch: Int
    let node: Int32
    let thread: Int
    let phase: Int
    let signpost: Int
    let frameClass: Profile.FrameClass
    let state: Profile.State
  }

  /// The samples with one key, or the waits of tasks.
  private struct Sum {
    var samples = 0
    var weight = 0.0
    /// The longest wait of a task in nanoseconds; 0 for samples.
    var longest = 0.0

    mutating func add(_ other: Sum) {
      samples = samples.addingClamped(UInt64(other.samples))
      weight += other.weight
      longest = max(longest, other.longest)
    }
  }

  /// A `Profile.Moment` in half the bytes, with a node of the address tree.
  struct Moment {
    let time: UInt64
    let cpu: UInt64?
    let node: Int32
    let thread: Int32
    let serial: UInt32
    let phase: Int32
    let signpost: Int32
    let frameClass: Profile.FrameClass
    let state: Profile.State
  }

  private let tools: ToolPaths
  private let cache: SymbolCache?
  private let symbolication: Symbolication
  private let images = ModuleImages()
  /// The functions of the kernel; read when the first sample needs them.
  private lazy var kernel = KernelSymbols()
  private var tree = AddressTree()
  private(set) var threads = Numbering<String>()
  /// The CPU time of each thread.
  private var threadCPU: [Int: UInt64] = [:]
  /// The first name is empty and means none.
  private var phases = Numbering<String>()
  private var signposts = Numbering<String>()
  private var counts: [CountKey: Sum] = [:]
  private(set) var timeline: [Int: [Moment]] = [:]
  /// The largest serial so far in each launch; the serials of its next process follow.
  private var serials: [Int: UInt32] = [:]
  private var tally: AuditTally
  private var awaiting = AsyncCheck()
  var crashes = Crashes()
  /// The roots of processes in other mount namespaces, open until their files have been read.
  private var roots: [ProcessRoot] = []

  /// Creates a builder of an empty profile.
  ///
  /// - Parameters:
  ///   - tools: The programs that name addresses.
  ///   - cache: The known symbols; nil for none.
  ///   - symbolication: The process that reads symbols and debug information.
  ///   - signalCost: The cost of a signal before and after the handler, for the estimate of the
  ///     overhead. After a failure or with nil the estimate covers the handlers only.
  public init(
    tools: ToolPaths = .found(), cache: SymbolCache? = nil,
    symbolication: Symbolication = .inProcess,
    signalCost: Result<SignalCost, SignalCost.Obstacle>? = nil
  ) {
    self.tools = tools
    self.cache = cache
    self.symbolication = symbolication
    tally = AuditTally(signalCost: signalCost)
    _ = phases.number(of: "")
    _ = signposts.number(of: "")
  }

  /// Adds the samples of a launched program or of a child process of it.
  ///
  /// - Parameters:
  ///   - capture: The capture of the process.
  ///   - isChild: Whether the process is a child of the launched program.
  ///   - launch: The launch's number in the run.
  ///   - measured: The measured phase in CLOCK_MONOTONIC nanoseconds; samples outside are omitted.
  ///   - allocatedBytes: The bytes counted as allocated in the measured phase, to which the sampled
  ///     allocations are scaled; nil if they were not counted.
  ///   - spent: The process's CPU time in the measured phase in nanoseconds, without the sampler's;
  ///     nil if unknown.
  ///   - frameClass: Returns the class of a frame by its number in the process.
  /// - Throws: `spool` if the samples cannot be read back, `outOfMemory`.
  public func add(
    _ capture: Capture, isChild: Bool = false, launch: Int, measured: ClosedRange<UInt64>,
    allocatedBytes: Double? = nil, spent: UInt64? = nil,
    frameClass: (Int) -> Profile.FrameClass = { _ in .none }
  ) throws(PerfProfileError) {
    if let root = capture.root { roots.append(root) }
    var reader = SampleReader(images: images, kernel: { self.kernel })
    let all = try reader.read(capture, into: &tree)
    let samples = all.filter { $0.allocation == nil && $0.crash == nil }.clipped(to: measured)
    crashes.stacks += all.compactMap { sample in
      sample.crash.map { CrashStack(launch: launch, crash: $0, node: sample.node) }
    }
    let weights = SampleWeights(samples, of: capture, until: measured.upperBound)
    let names = ThreadNames(capture, isChild: isChild)
    let serialBase = serials[launch, default: 0]
    var serialLimit = serialBase
    for (serial, cpu) in weights.cpu {
      let thread = threads.number(of: names[serial])
      threadCPU[thread] = threadCPU[thread, default: 0].addingClamped(cpu)
    }

    var markNames = capture.names
    let marked = capture.engine == .perf ? MarkedTimes(capture) : nil
    func key(_ sample: WalkedSample, _ state: Profile.State) -> CountKey {
      let (thread, time) = (sample.serial, sample.time)
      let phase = marked?.phase(of: thread, at: time) ?? markNames.text(sample.phase)
      let signpost = marked?.signpost(of: thread, at: time) ?? markNames.text(sample.signpost)
      let own = sample.frame == 0 ? nil : Int(sample.frame) - 1
      return CountKey(
        launch: launch, node: sample.node, thread: threads.number(of: names[thread]),
        phase: phases.number(of: phase ?? ""), signpost: signposts.number(of: signpost ?? ""),
        frameClass: (marked.map { $0.frame(at: time) } ?? own).map(frameClass)
          ?? Profile.FrameClass.none,
        state: state)
    }
    var moments: [Moment] = []
    moments.reserveCapacity(samples.count)
    var clocks: [UInt32: UInt64] = [:]
    for place in samples.indices.sorted(by: { samples[$0].time < samples[$1].time }) {
      let sample = samples[place]
      let counted = key(sample, weights.states[place])
      count(counted, ticks: sample.ticks, weight: weights.weights[place])
      if let delay = weights.delays[place] { count(key(sample, .runnable), weight: delay) }
      if counted.state == .running { awaiting.add(sample.node) }
      // The clock never goes back, but a damaged record may claim so.
      let cpu = clocks.updateValue(sample.cpu, forKey: sample.serial).map {
        sample.cpu >= $0 ? sample.cpu - $0 : 0
      }
      serialLimit = max(serialLimit, serialBase &+ sample.serial)
      moments.append(
        Moment(
          time: sample.time - measured.lowerBound, cpu: cpu, node: sample.node,
          thread: Int32(counted.thread), serial: serialBase &+ sample.serial,
          phase: Int32(counted.phase), signpost: Int32(counted.signpost),
          frameClass: counted.frameClass, state: counted.state))
    }
    serials[launch] = serialLimit
    timeline[launch, default: []] += moments
    let allocations = all.filter { $0.allocation != nil && measured.contains($0.time) }
    let memory = AllocationWeights(
      allocations, of: capture, until: measured.upperBound, bytes: allocatedBytes)
    for share in memory.shares {
      count(key(allocations[share.place], share.state), weight: share.weight)
    }
    if let tasks = capture.tasks { add(tasks, of: capture, launch: launch) }
    tally.addGarbage(weights.impossibleClocks)
    tally.add(
      capture, samples, isChild: isChild, until: measured.upperBound,
      cpu: weights.cpu.values.reduce(0) { $0.addingClamped($1) }, spent: spent)
  }

  /// Adds the waits of the tasks of a process.
  ///
  /// Tasks run on any thread, so their names take the place of the thread's.
  private func add(_ tasks: TaskWaits, of capture: Capture, launch: Int) {
    let list = capture.moduleLists.last ?? ModuleList(time: 0, modules: [])
    let map = ModuleMap(list, next: nil, images: images)
    for stack in tasks.stacks {
      let key = CountKey(
        launch: launch, node: tree.node(of: stack, in: map),
        thread: threads.number(of: stack.name.isEmpty ? Profile.unnamedTasks : stack.name),
        phase: 0, signpost: 0, frameClass: .none, state: .suspended)
      count(
        key, ticks: stack.sum.count, weight: Double(stack.sum.time),
        longest: Double(stack.sum.longest))
    }
  }

  /// Adds the CPU time of the children that a launched program has waited for.
  ///
  /// - Parameters:
  ///   - spent: Their CPU time in nanoseconds.
  ///   - areFollowed: Whether they should have been sampled.
  public func addChildren(spent: UInt64, areFollowed: Bool) {
    tally.addChildren(spent: spent, areFollowed: areFollowed)
  }

  private func count(_ key: CountKey, ticks: Int = 1, weight: Double, longest: Double = 0) {
    counts[key, default: Sum()].add(Sum(samples: ticks, weight: weight, longest: longest))
  }

  /// Looks up all symbols and returns the profile.
  ///
  /// - Parameters:
  ///   - cpusBusy: CPUs that were busy on average while sampling, by the machine's count; nil if
  ///     unknown.
  ///   - engineReason: The reason for the engine, as a clause; nil if unknown.
  /// - Returns: The profile of all launches that were added.
  public func finish(cpusBusy: Double? = nil, engineReason: String? = nil) -> Profile {
    let symbolizer = Symbolizer(
      images: images, tools: tools, cache: cache, symbolication: symbolication)
    let symbols = symbolizer.symbolize(
      Set(
        tree.locations.filter { $0.module >= 0 }.map {
          Symbolizer.Address(module: Int($0.module), address: $0.address)
        }))
    let named = NamedTree(
      tree, kernel: tally.engine == .perf ? kernel : nil, symbols: symbols,
      modules: images.identities.map(\.name))
    let (counts, longest) = mergedCounts(named)
    var audit = tally.audit(
      cpusBusy: cpusBusy,
      warnings: images.warnings + symbolizer.warnings
        + awaiting.warnings(
          tree, symbols, modules: images.identities.map(\.name), engine: tally.engine)
        + NamelessCode(
          named,
          running: self.counts.lazy.filter { $0.key.state == .running }
            .map { (node: $0.key.node, weight: $0.value.weight) },
          modules: images.identities
        ).warnings + crashes.warnings(named))
    audit.longestTaskWaits = longest.isEmpty ? nil : longest
    audit.engineReason = engineReason
    return Profile(
      functions: named.functions, nodes: named.nodes,
      threads: threads.all.enumerated().map {
        Profile.Thread(name: $1, cpu: threadCPU[$0, default: 0])
      },
      phases: phases.all, signposts: signposts.all, counts: counts,
      timeline: timeline.mapValues { moments in
        // The moments of each process are in order, but the processes overlap.
        moments.sorted { $0.time < $1.time }.map {
          Profile.Moment(
            time: $0.time, node: named.places[Int($0.node)], thread: Int($0.thread),
            serial: Int($0.serial), phase: Int($0.phase), signpost: Int($0.signpost),
            frameClass: $0.frameClass, state: $0.state, cpu: $0.cpu)
        }
      },
      audit: audit, modules: modules(of: named.functions))
  }

  /// Returns the modules of functions, in the order in which they were found.
  private func modules(of functions: [Profile.Function]) -> [Profile.Module] {
    let names = Set(functions.map(\.module))
    return images.identities.filter { names.contains($0.name) }.map {
      Profile.Module(
        name: $0.name, path: roots.reduce($0.path) { $1.inside($0) },
        buildID: hexadecimal($0.buildID))
    }
  }

  /// Merges counts whose nodes have the same named node, in an order that does not depend on
  /// hashing.
  ///
  /// - Returns: The counts, and the longest waits of tasks by index of the count.
  private func mergedCounts(
    _ named: NamedTree
  ) -> (counts: [Profile.Count], longest: [Int: Double]) {
    var merged: [CountKey: Sum] = [:]
    for (key, sum) in counts {
      let place = CountKey(
        launch: key.launch, node: Int32(named.places[Int(key.node)]), thread: key.thread,
        phase: key.phase, signpost: key.signpost, frameClass: key.frameClass, state: key.state)
      merged[place, default: Sum()].add(sum)
    }
    let sorted = merged.sorted { Self.order($0.key) < Self.order($1.key) }
    var longest: [Int: Double] = [:]
    for (index, (_, sum)) in sorted.enumerated() where sum.longest > 0 {
      longest[index] = sum.longest
    }
    let counts = sorted.map { key, sum in
      Profile.Count(
        launch: key.launch, node: Int(key.node), thread: key.thread, phase: key.phase,
        signpost: key.signpost, frameClass: key.frameClass, state: key.state,
        samples: sum.samples, weight: sum.weight)
    }
    return (counts, longest)
  }

  private static func order(_ key: CountKey) -> (Int, Int32, Int, Int, Int, Int) {
    // Tuples of more than six elements cannot be compared.
    let marks = key.phase << 32 | key.signpost
    return (
      key.launch, key.node, key.thread, marks, key.frameClass.rawValue, key.state.rawValue
    )
  }
}
