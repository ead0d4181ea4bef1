internal import CPerfFormat

/// What unwinding and naming the samples of a capture takes; for `Scripts/bench profiler`.
package struct ProfilerMeasurement {
  /// One pass over all samples.
  package struct Pass {
    package let nanoseconds: UInt64
    package let stacks: Int
    package let frames: Int
    /// Frames that were taken over from the sample before.
    package let spliced: Int
    /// Stacks by why they ended.
    package let ends: [String: Int]
  }

  /// With caches that know nothing, each stack to its end.
  package let cold: Pass
  /// Again, with warm caches.
  package let warm: Pass
  /// With warm caches, taking over what a stack shares with the one before.
  package let spliced: Pass
  /// Code addresses that had to be named.
  package let addresses: Int
  /// What naming them took, in nanoseconds.
  package let symbolNanoseconds: UInt64
  /// What naming them again took, with a cache that knows them.
  package let cachedNanoseconds: UInt64

  /// Measures a capture.
  ///
  /// - Parameters:
  ///   - capture: The samples.
  ///   - cache: An empty cache of symbols.
  ///   - tools: The programs that name addresses.
  /// - Throws: What unwinding throws.
  package init(
    _ capture: Capture, cache: any SymbolCache, tools: ToolPaths = .found()
  ) throws(PerfProfileError) {
    let images = ModuleImages()
    let whole = try Unwinder(capture, images: images, reusesFrames: false)
    cold = try Self.pass(capture, whole)
    warm = try Self.pass(capture, whole)
    let splicing = try Unwinder(capture, images: images)
    _ = try Self.pass(capture, splicing)
    spliced = try Self.pass(capture, splicing)

    var tree = CallTree()
    var reader = SampleReader(images: images)
    _ = try reader.read(capture, into: &tree)
    let wanted = Set(
      tree.locations.filter { $0.module >= 0 }.map {
        Symbolizer.Address(module: Int($0.module), address: $0.address)
      })
    let began = monotonicNanoseconds()
    addresses = Symbolizer(images: images, tools: tools, cache: cache).symbolize(wanted).count
    symbolNanoseconds = monotonicNanoseconds() - began
    let known = monotonicNanoseconds()
    _ = Symbolizer(images: images, tools: tools, cache: cache).symbolize(wanted)
    cachedNanoseconds = monotonicNanoseconds() - known
  }

  private static func pass(
    _ capture: Capture, _ unwinder: Unwinder
  ) throws(PerfProfileError) -> Pass {
    var stacks = 0
    var frames = 0
    var spliced = 0
    var ends: [String: Int] = [:]
    let began = monotonicNanoseconds()
    try capture.spool?.forEach { (entry, bytes) throws(PerfProfileError) in
      let head = bytes.loadUnaligned(as: perf_sample.self)
      let start = MemoryLayout<perf_sample>.size + Int(head.async_count) * 16
      let kept = UnsafeRawBufferPointer(rebasing: bytes[start...])
      guard let stack = try unwinder.walk(entry, head, kept: kept) else { return }
      stacks += 1
      frames += stack.frames.count
      spliced += stack.spliced
      ends[stack.end.text, default: 0] += 1
    }
    return Pass(
      nanoseconds: monotonicNanoseconds() - began, stacks: stacks, frames: frames,
      spliced: spliced, ends: ends)
  }
}
