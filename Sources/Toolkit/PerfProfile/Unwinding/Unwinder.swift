internal import CPerfFormat
internal import CUnwind
internal import PerfModel

/// Walks the stacks of a capture's samples in the order in which the drain stored them.
///
/// Two consecutive samples of a thread share most of their stack. The walk of the second one stops
/// at its first frame in the common part that equals a frame of the first one, and takes the rest
/// from there. A stack that is larger than its copy takes its outermost callers from the first one
/// in the same way; see `cunwind_walk`.
final class Unwinder {
  /// The largest number of frames per stack: 16 KiB contain at most 1,024 frames.
  static let mostFrames = 1024

  /// Optimizations that do not change results.
  struct Shortcuts: OptionSet {
    let rawValue: Int
    /// Stops where the stack equals the ring's previous sample.
    static let reuse = Shortcuts(rawValue: 1)
    /// Finds the callers of simple frames without libunwind.
    static let rows = Shortcuts(rawValue: 2)
  }

  /// A walked stack, whose frames stay valid until the ring's next sample.
  struct Stack {
    /// Innermost first; at least one.
    let frames: UnsafeBufferPointer<cunwind_frame>
    /// How many of the outermost frames equal the ring's previous sample.
    let spliced: Int
    let end: StackEnd
    /// The modules at the time of the sample.
    let map: ModuleMap
  }

  /// The state of a ring after its last sample.
  private final class Ring {
    var window: StackWindow
    var frames: UnsafeMutableBufferPointer<cunwind_frame>
    var spare: UnsafeMutableBufferPointer<cunwind_frame>
    var count = 0
    var end = CUNWIND_COMPLETE
    var serial: UInt32 = 0
    var epoch = -1

    init(stackBytes: Int) {
      window = StackWindow(capacity: stackBytes)
      frames = .allocate(capacity: Unwinder.mostFrames)
      spare = .allocate(capacity: Unwinder.mostFrames)
    }

    deinit {
      frames.deallocate()
      spare.deallocate()
    }
  }

  private let space: UnwindSpace
  private let lists: [ModuleList]
  private let contested: Set<LoadedModule>
  private let images: ModuleImages
  private let generated: GeneratedCode
  private let stackBytes: Int
  private let reusesFrames: Bool
  private var rings: [UInt32: Ring] = [:]
  private var epoch = -1
  private var map: ModuleMap?

  /// Creates an unwinder for the samples of one capture.
  ///
  /// - Parameters:
  ///   - capture: The capture.
  ///   - images: The modules of all captures.
  ///   - shortcuts: The optimizations to use; tests and benches use fewer.
  /// - Throws: `outOfMemory`.
  init(_ capture: Capture, images: ModuleImages, shortcuts: Shortcuts = [.reuse, .rows])
    throws(PerfProfileError)
  {
    space = try UnwindSpace(images: images, usesRows: shortcuts.contains(.rows))
    lists = capture.moduleLists
    contested = ModuleMap.contested(in: lists)
    generated = capture.generated
    stackBytes = capture.stackBytes
    self.images = images
    reusesFrames = shortcuts.contains(.reuse)
  }

  /// Walks the stack of the next sample.
  ///
  /// - Parameters:
  ///   - entry: The spool's header of the sample.
  ///   - head: The sample.
  ///   - kept: The bytes of the stack that the spool kept.
  /// - Returns: The stack; nil if no modules are known or the entry contradicts the previous one.
  /// - Throws: `outOfMemory`.
  func walk(
    _ entry: SpoolEntry, _ head: perfkit_sample, kept: UnsafeRawBufferPointer
  ) throws(PerfProfileError) -> Stack? {
    guard let map = try selectModules(at: head.record.time_ns) else { return nil }
    let ring = rings[entry.ring] ?? Ring(stackBytes: stackBytes)
    rings[entry.ring] = ring
    let shared = Int(entry.shared)
    guard
      ring.window.take(
        low: kept, shared: shared, at: head.stack_address, serial: head.serial) != nil
    else { return nil }
    let isKnown = ring.serial == head.serial && ring.epoch == epoch
    let flags = UInt32(head.record.flags)
    let isPartial = flags & PERFKIT_SAMPLE_PARTIAL.rawValue != 0
    let isCut = flags & PERFKIT_SAMPLE_TRUNCATED.rawValue != 0 || head.stack_missing > 0

    var head = head
    let result = withUnsafeBytes(of: &head.registers) { registers -> cunwind_result in
      guard let first = registers.assumingMemoryBound(to: UInt64.self).baseAddress else {
        return cunwind_result(count: 0, spliced: 0, end: CUNWIND_BAD_ADDRESS)
      }
      var sample = cunwind_sample(
        registers: first,
        stack: ring.window.stack.assumingMemoryBound(to: UInt8.self).baseAddress,
        stack_address: head.stack_address, stack_bytes: UInt64(ring.window.bytes),
        cut: isCut, partial: isPartial,
        shared_address: reusesFrames && shared > 0
          ? head.stack_address &+ UInt64(kept.count) : .max,
        earlier: UnsafePointer(ring.frames.baseAddress),
        earlier_count: isKnown ? UInt64(ring.count) : 0, earlier_end: ring.end)
      return space.walk(&sample, into: ring.spare)
    }
    swap(&ring.frames, &ring.spare)
    ring.count = Int(result.count)
    ring.end = result.end
    ring.serial = head.serial
    ring.epoch = epoch
    let frames = UnsafeBufferPointer(rebasing: ring.frames[..<ring.count])
    // The handler ran on an alternate stack, and the interrupted stack was not copied.
    let isElsewhere =
      flags & PERFKIT_SAMPLE_ALTSTACK.rawValue != 0
      && frames.dropFirst().contains {
        $0.exact == 1 && $0.sp &- head.stack_address >= UInt64(ring.window.bytes)
      }
    return Stack(
      frames: frames, spliced: Int(result.spliced),
      end: StackEnd(result.end, isCut: isCut, isPartial: isPartial, isElsewhere: isElsewhere),
      map: map)
  }

  /// Selects the modules that were loaded at a time.
  private func selectModules(at time: UInt64) throws(PerfProfileError) -> ModuleMap? {
    guard !lists.isEmpty else { return nil }
    let wanted = lastIndex(of: lists.indices) { lists[$0].time <= time } ?? 0
    let next = wanted + 1 < lists.count ? lists[wanted + 1] : nil
    // While a list is known to be valid, the next one is not needed.
    let changing = next.flatMap { time > $0.before ? $0 : nil }
    let wantedEpoch = 2 * wanted + (changing == nil ? 0 : 1)
    if wantedEpoch == epoch, let map { return map }
    let map = ModuleMap(lists[wanted], next: changing, contested: contested, images: images)
    try space.setModules(map, generated: generated)
    self.map = map
    epoch = wantedEpoch
    return map
  }
}
