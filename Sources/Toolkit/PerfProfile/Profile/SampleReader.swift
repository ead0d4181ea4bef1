internal import CPerfFormat
internal import CUnwind

/// A sample whose stack is a node of the address tree.
struct WalkedSample {
  /// When the handler ran or the thread was found waiting, in CLOCK_MONOTONIC nanoseconds.
  var time: UInt64
  /// When the ticker sent the signal.
  let tick: UInt64
  /// The thread's CPU clock at `tick`, in nanoseconds.
  let cpu: UInt64
  let node: Int32
  let serial: UInt32
  /// The name id of the phase; 0 for none.
  let phase: UInt32
  /// The name id of the innermost signpost; 0 for none.
  let signpost: UInt32
  /// The number of the current frame plus 1; 0 for none.
  let frame: UInt32
  let handler: UInt32
  /// The number of awaiting callers that the handler read.
  var awaiting: UInt16 = 0
  /// The number of later ticks that the sample stands for, because the thread took its signal late.
  var merged: UInt16 = 0
  /// The thread's CPU clock at the last of these ticks, in nanoseconds.
  var mergedCPU: UInt64 = 0
  /// Whether the stack was read from outside while the thread waited.
  let isWaiting: Bool
  /// Whether the thread had been woken at the tick and had no CPU yet.
  var isWoken = false
  /// Whether its own code belongs to no file and has no name.
  var isUnnamed = false
  let end: StackEnd
  /// The sampled allocation; nil for a sample of a thread's time.
  var allocation: Allocation?
  /// The crash whose stack it is; nil for a sample.
  var crash: Crash?

  /// The number of ticks that the sample of a running thread stands for.
  var ticks: Int { 1 + Int(merged) }

  /// The end of a process by a signal.
  struct Crash {
    let signal: Int32
    /// The address that could not be accessed, or that of the instruction; 0 for other signals.
    let address: UInt64
  }

  /// A sampled allocation.
  struct Allocation {
    /// The number of the allocation in its process.
    let number: UInt64
    /// The requested size.
    let bytes: UInt64
  }
}

extension perfkit_sample {
  /// The program counter; 0 if the thread has no code of the program.
  var programCounter: UInt64 {
    withUnsafeBytes(of: registers) { $0.bindMemory(to: UInt64.self).last ?? 0 }
  }
}

/// Unwinds all samples of a capture into an address tree.
struct SampleReader {
  /// The path of a ring's last sample, outermost node first; the next sample reuses its common
  /// part.
  private var paths: [UInt32: [Int32]] = [:]
  private let images: ModuleImages
  private let kernel: () -> KernelSymbols
  private var generated = GeneratedCode()

  /// Creates a reader.
  ///
  /// - Parameters:
  ///   - images: The modules of all captures.
  ///   - kernel: Returns the functions of the kernel; called for samples with kernel code only.
  init(images: ModuleImages, kernel: @escaping () -> KernelSymbols = { KernelSymbols() }) {
    (self.images, self.kernel) = (images, kernel)
  }

  /// Returns the samples of a capture in the order in which they were drained.
  ///
  /// - Throws: `spool` if they cannot be read back, `outOfMemory`.
  mutating func read(
    _ capture: Capture, into tree: inout AddressTree
  ) throws(PerfProfileError) -> [WalkedSample] {
    guard let spool = capture.spool else { return [] }
    let unwinder = try Unwinder(capture, images: images)
    var samples: [WalkedSample] = []
    samples.reserveCapacity(spool.count)
    paths = [:]
    generated = capture.generated
    try spool.forEach { (entry, bytes) throws(PerfProfileError) in
      let fixed = MemoryLayout<perfkit_sample>.size
      let head = bytes.loadUnaligned(as: perfkit_sample.self)
      let kept = UnsafeRawBufferPointer(rebasing: bytes[(fixed + Int(head.async_count) * 16)...])
      let walked = try unwinder.walk(entry, head, kept: kept)
      let words = UnsafeRawBufferPointer(
        rebasing: bytes[fixed..<(fixed + Int(head.async_count) * 16)])
      let chain = chain(of: head, words)
      // A thread of the kernel, e.g. of io_uring, has no code of the program.
      let isKernelOnly = chain?.kernel.isEmpty == false && head.programCounter == 0
      let stack = isKernelOnly ? nil : walked
      let logical = chain == nil ? words : UnsafeRawBufferPointer(rebasing: words[..<0])
      let outer = stack.map { outerCallers(of: $0, by: chain) } ?? OuterCallers()
      let isAllocation = entry.kind == PERFKIT_RECORD_ALLOCATION.rawValue
      var node = stack.map {
        enter(
          $0, logical: logical, outer, ring: entry.ring, isAllocation: isAllocation, &tree)
      }
      let isUnnamed = !isKernelOnly && node.map { tree.isUnknown($0) } ?? true
      let isWaiting = entry.kind == PERFKIT_RECORD_WAITING.rawValue
      if isWaiting, !isKernelOnly {
        if let call = call(of: head, chain) { node = tree.node(under: node ?? -1, call) }
      } else if let chain, !chain.kernel.isEmpty {
        let caller = isKernelOnly ? -1 : node ?? tree.node(under: -1, .unknown)
        node = enterKernel(chain.kernel, under: caller, &tree)
      }
      samples.append(
        WalkedSample(
          time: head.record.time_ns, tick: head.tick_ns, cpu: head.thread_cpu_ns,
          node: node ?? tree.node(under: -1, .unknown), serial: head.serial, phase: head.phase,
          signpost: head.signpost, frame: head.frame, handler: head.handler_ns,
          awaiting: chain == nil ? head.async_count : 0, merged: isWaiting ? 0 : head.ticks_merged,
          mergedCPU: head.merged_cpu_ns, isWaiting: isWaiting,
          isWoken: UInt32(head.record.flags) & PERFKIT_SAMPLE_WOKEN.rawValue != 0,
          isUnnamed: isUnnamed,
          end: outer.isComplete || isKernelOnly ? .complete : stack?.end ?? .noUnwindInfo,
          allocation: isAllocation
            ? .init(number: head.allocation, bytes: head.allocated_bytes) : nil,
          crash: entry.kind == PERFKIT_RECORD_CRASH.rawValue
            ? .init(signal: Int32(truncatingIfNeeded: head.signal), address: head.fault_address)
            : nil))
    }
    return samples
  }

  /// Returns the system call in which a thread waits; nil if it lost its CPU in its own code.
  private func call(of head: perfkit_sample, _ chain: CallChain?) -> AddressTree.Location? {
    guard let chain, chain.isWhole else { return .systemCall(head.system_call) }
    return kernel().call(in: chain.kernel)
  }

  /// Adds functions of the kernel and returns the innermost node.
  private func enterKernel(
    _ addresses: ArraySlice<UInt64>, under node: Int32, _ tree: inout AddressTree
  ) -> Int32 {
    let symbols = kernel()
    // All but the innermost one are return addresses.
    return addresses.enumerated().reversed().reduce(node) { node, frame in
      let start = symbols.start(at: frame.offset == 0 ? frame.element : frame.element - 1)
      return tree.node(
        under: node, .init(module: AddressTree.Location.kernelModule, address: start))
    }
  }

  /// Returns the call chain by frame pointers that a sample has; nil if it has async contexts.
  private func chain(of head: perfkit_sample, _ words: UnsafeRawBufferPointer) -> CallChain? {
    if head.record.flags & CallChain.flag != 0 { return CallChain(words) }
    let isOuter = UInt32(head.record.flags) & PERFKIT_SAMPLE_CALLERS.rawValue != 0
    return isOuter ? CallChain(outer: words) : nil
  }

  /// The callers beyond a copied stack.
  private struct OuterCallers {
    /// Return addresses, innermost first.
    var addresses: ArraySlice<UInt64> = []
    /// Whether they reach the code that started the thread.
    var isComplete = false
  }

  /// Returns the callers beyond a stack that was not copied as a whole, by a walk along frame pointers.
  ///
  /// The walk continues behind the outermost frame that both know. It ends in the C library, which has no
  /// frame pointers and starts each thread.
  private func outerCallers(of stack: Unwinder.Stack, by chain: CallChain?) -> OuterCallers {
    guard stack.end != .complete, let chain, let first = chain.user.first else {
      return OuterCallers()
    }
    let user = chain.user
    for place in stack.frames.indices.reversed() {
      let address = stack.frames[place].ip
      if !chain.isWhole, address != first { continue }
      // Recursion puts the same return address into a stack several times.
      let count = chain.isWhole ? stack.frames[...place].count { $0.ip == address } : 1
      let occurrences = user.indices.filter { user[$0] == address }
      guard occurrences.count >= count else { continue }
      let addresses = user[(occurrences[count - 1] + 1)...]
      let last = addresses.last.flatMap { stack.map.entry(at: $0 &- 1) }
      return OuterCallers(
        addresses: addresses,
        isComplete: last.map { images.identities[$0.module].isCLibrary } ?? false)
    }
    return OuterCallers()
  }

  /// Adds a stack to the tree and returns its innermost node.
  private mutating func enter(
    _ stack: Unwinder.Stack, logical: UnsafeRawBufferPointer, _ outer: OuterCallers, ring: UInt32,
    isAllocation: Bool, _ tree: inout AddressTree
  ) -> Int32 {
    var path = paths.removeValue(forKey: ring) ?? []
    // An incomplete stack is a child of a node for the missing callers.
    let extra = stack.end == .complete ? 0 : 1
    // A stack that is too deep lost its outermost frames, so they differ from the previous
    // sample's.
    let isSpliced =
      stack.spliced > 0 && stack.end != .tooDeep && logical.isEmpty && !isAllocation
      && outer.addresses.isEmpty
    var fresh = stack.frames.indices
    if isSpliced, path.count >= stack.spliced + extra {
      path.removeLast(path.count - stack.spliced - extra)
      fresh = fresh.dropLast(stack.spliced)
    } else {
      path.removeAll(keepingCapacity: true)
      enterOutermost(stack, logical, outer, &path, &tree)
    }
    if isAllocation, !fresh.isEmpty {
      // The agent's functions are at the inner end.
      let agent = location(ofFrame: 0, in: stack, &tree).module
      fresh = fresh.drop { location(ofFrame: $0, in: stack, &tree).module == agent }
    }
    for place in fresh.reversed() {
      let location = location(ofFrame: place, in: stack, &tree)
      path.append(tree.node(under: path.last ?? -1, location))
    }
    let node = path.last ?? tree.node(under: -1, .unknown)
    // The ring's next sample shares frames with an allocation, but not its path.
    if logical.isEmpty && !isAllocation && outer.addresses.isEmpty { paths[ring] = path }
    return node
  }

  /// Adds the nodes outside of a stack's frames: the callers that await it, then a node for missing
  /// callers, then the callers beyond the copied stack.
  private func enterOutermost(
    _ stack: Unwinder.Stack, _ callers: UnsafeRawBufferPointer, _ outer: OuterCallers,
    _ path: inout [Int32], _ tree: inout AddressTree
  ) {
    for offset in stride(from: callers.count - 16, through: 0, by: -16) {
      let resume = callers.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)
      var location = location(of: resume, in: stack.map, &tree)
      location.isAsync = true
      path.append(tree.node(under: path.last ?? -1, location))
    }
    if stack.end != .complete, !outer.isComplete,
      let index = StackEnd.allCases.firstIndex(of: stack.end)
    {
      let missing = AddressTree.Location(
        module: AddressTree.Location.endModule, address: UInt64(index))
      path.append(tree.node(under: path.last ?? -1, missing))
    }
    for address in outer.addresses.reversed() {
      let location = location(of: address &- 1, in: stack.map, &tree)
      path.append(tree.node(under: path.last ?? -1, location))
    }
  }

  private func location(
    ofFrame place: Int, in stack: Unwinder.Stack, _ tree: inout AddressTree
  ) -> AddressTree.Location {
    let frame = stack.frames[place]
    // A return address may already belong to the next line or function, so use the byte before it.
    // A signal handler returns to the start of the trampoline, which no code has called; the frame
    // after it is the interrupted code.
    let isTrampoline = place + 1 < stack.frames.count && stack.frames[place + 1].exact == 1
    let isInstruction = frame.exact == 1 || isTrampoline
    return location(of: isInstruction ? frame.ip : frame.ip &- 1, in: stack.map, &tree)
  }

  private func location(
    of address: UInt64, in map: ModuleMap, _ tree: inout AddressTree
  ) -> AddressTree.Location {
    map.location(of: address)
      ?? generated.name(at: address).map { tree.generatedFunction($0) } ?? .unknown
  }
}
