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
  /// Whether the stack was read from outside while the thread waited.
  let isWaiting: Bool
  let end: StackEnd
  /// The sampled allocation; nil for a sample of a thread's time.
  var allocation: Allocation?

  /// The number of ticks that the sample of a running thread stands for.
  var ticks: Int { 1 + Int(merged) }

  /// A sampled allocation.
  struct Allocation {
    /// The number of the allocation in its process.
    let number: UInt64
    /// The requested size.
    let bytes: UInt64
  }
}

/// Unwinds all samples of a capture into an address tree.
struct SampleReader {
  /// The path of a ring's last sample, outermost node first; the next sample reuses its common
  /// part.
  private var paths: [UInt32: [Int32]] = [:]
  private let images: ModuleImages
  private let kernel: () -> KernelSymbols

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
    try spool.forEach { (entry, bytes) throws(PerfProfileError) in
      let fixed = MemoryLayout<perfkit_sample>.size
      let head = bytes.loadUnaligned(as: perfkit_sample.self)
      let kept = UnsafeRawBufferPointer(rebasing: bytes[(fixed + Int(head.async_count) * 16)...])
      let stack = try unwinder.walk(entry, head, kept: kept)
      let words = UnsafeRawBufferPointer(
        rebasing: bytes[fixed..<(fixed + Int(head.async_count) * 16)])
      let isInKernel = head.record.flags & KernelChain.flag != 0
      let logical = isInKernel ? UnsafeRawBufferPointer(rebasing: words[..<0]) : words
      let isAllocation = entry.kind == PERFKIT_RECORD_ALLOCATION.rawValue
      var node = stack.map {
        enter($0, logical: logical, ring: entry.ring, isAllocation: isAllocation, &tree)
      }
      if isInKernel, !words.isEmpty {
        node = enterKernel(words, under: node ?? tree.node(under: -1, .unknown), &tree)
      }
      let isWaiting = entry.kind == PERFKIT_RECORD_WAITING.rawValue
      if isWaiting { node = tree.node(under: node ?? -1, .systemCall(head.system_call)) }
      samples.append(
        WalkedSample(
          time: head.record.time_ns, tick: head.tick_ns, cpu: head.thread_cpu_ns,
          node: node ?? tree.node(under: -1, .unknown), serial: head.serial, phase: head.phase,
          signpost: head.signpost, frame: head.frame, handler: head.handler_ns,
          awaiting: isInKernel ? 0 : head.async_count, merged: isWaiting ? 0 : head.ticks_merged,
          isWaiting: isWaiting, end: stack?.end ?? .noUnwindInfo,
          allocation: isAllocation
            ? .init(number: head.allocation, bytes: head.allocated_bytes) : nil))
    }
    return samples
  }

  /// Adds functions of the kernel and returns the innermost node.
  private func enterKernel(
    _ words: UnsafeRawBufferPointer, under node: Int32, _ tree: inout AddressTree
  ) -> Int32 {
    let addresses = stride(from: 0, to: words.count, by: 8)
      .map { words.loadUnaligned(fromByteOffset: $0, as: UInt64.self) }.filter { $0 != 0 }
    let symbols = kernel()
    // All but the innermost one are return addresses.
    return addresses.enumerated().reversed().reduce(node) { node, frame in
      let start = symbols.start(at: frame.offset == 0 ? frame.element : frame.element - 1)
      return tree.node(
        under: node, .init(module: AddressTree.Location.kernelModule, address: start))
    }
  }

  /// Adds a stack to the tree and returns its innermost node.
  private mutating func enter(
    _ stack: Unwinder.Stack, logical: UnsafeRawBufferPointer, ring: UInt32, isAllocation: Bool,
    _ tree: inout AddressTree
  ) -> Int32 {
    var path = paths.removeValue(forKey: ring) ?? []
    // An incomplete stack is a child of a node for the missing callers.
    let extra = stack.end == .complete ? 0 : 1
    // A stack that is too deep lost its outermost frames, so they differ from the previous
    // sample's.
    let isSpliced =
      stack.spliced > 0 && stack.end != .tooDeep && logical.isEmpty && !isAllocation
    var fresh = stack.frames.indices
    if isSpliced, path.count >= stack.spliced + extra {
      path.removeLast(path.count - stack.spliced - extra)
      fresh = fresh.dropLast(stack.spliced)
    } else {
      path.removeAll(keepingCapacity: true)
      enterOutermost(stack, logical, &path, &tree)
    }
    if isAllocation, !fresh.isEmpty {
      // The agent's functions are at the inner end.
      let agent = location(ofFrame: 0, in: stack).module
      fresh = fresh.drop { location(ofFrame: $0, in: stack).module == agent }
    }
    for place in fresh.reversed() {
      path.append(tree.node(under: path.last ?? -1, location(ofFrame: place, in: stack)))
    }
    let node = path.last ?? tree.node(under: -1, .unknown)
    // The ring's next sample shares frames with an allocation, but not its path.
    if logical.isEmpty && !isAllocation { paths[ring] = path }
    return node
  }

  /// Adds the nodes outside of a stack's frames: the callers that await it, then a node for missing
  /// callers.
  private func enterOutermost(
    _ stack: Unwinder.Stack, _ callers: UnsafeRawBufferPointer, _ path: inout [Int32],
    _ tree: inout AddressTree
  ) {
    for offset in stride(from: callers.count - 16, through: 0, by: -16) {
      let resume = callers.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)
      var location = location(of: resume, in: stack.map)
      location.isAsync = true
      path.append(tree.node(under: path.last ?? -1, location))
    }
    if stack.end != .complete, let index = StackEnd.allCases.firstIndex(of: stack.end) {
      let missing = AddressTree.Location(
        module: AddressTree.Location.endModule, address: UInt64(index))
      path.append(tree.node(under: path.last ?? -1, missing))
    }
  }

  private func location(ofFrame place: Int, in stack: Unwinder.Stack) -> AddressTree.Location {
    let frame = stack.frames[place]
    // A return address may already belong to the next line or function, so use the byte before it.
    // A signal handler returns to the start of the trampoline, which no code has called; the frame
    // after it is the interrupted code.
    let isTrampoline = place + 1 < stack.frames.count && stack.frames[place + 1].exact == 1
    let isInstruction = frame.exact == 1 || isTrampoline
    return location(of: isInstruction ? frame.ip : frame.ip &- 1, in: stack.map)
  }

  private func location(of address: UInt64, in map: ModuleMap) -> AddressTree.Location {
    guard let entry = map.entry(at: address) else { return .unknown }
    return AddressTree.Location(module: Int32(entry.module), address: address &- entry.bias)
  }
}
