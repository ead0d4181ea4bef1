internal import CPerfFormat

/// The offsets and sizes in a segment, as this process has chosen them.
///
/// The segment contains the same values for the agent. This process never reads them back, because
/// the measured program may have overwritten them.
struct CaptureLayout: Hashable, Sendable {
  static let pageBytes = 4096

  let totalBytes: Int
  /// Bytes at the start that have memory from the beginning.
  let filledBytes: Int
  /// The number of rings within `filledBytes`.
  let filledRings: Int
  let headerBytes: Int
  let namesOffset: Int
  let namesBytes: Int
  /// The offset of the allocation counters; 0 without them.
  let allocationsOffset: Int
  let ringsOffset: Int
  let ringBytes: Int
  let ringCount: Int
  let sampleCapacity: Int
  let markCapacity: Int

  /// Computes the layout of a segment.
  ///
  /// - Throws: `configuration` if sizes contradict the format or leave no room for two rings: the
  ///   ticker's and one thread's.
  init(_ configuration: CaptureConfiguration) throws(PerfProfileError) {
    try Self.check(configuration)
    func pages(_ bytes: Int) -> Int {
      (bytes + Self.pageBytes - 1) / Self.pageBytes * Self.pageBytes
    }
    filledBytes = configuration.segmentBytes / Self.pageBytes * Self.pageBytes
    headerBytes = pages(MemoryLayout<perfkit_segment>.size)
    namesOffset = headerBytes
    namesBytes = pages(configuration.namesBytes)
    let countsAllocations = configuration.allocationInterval != nil
    allocationsOffset = countsAllocations ? namesOffset + namesBytes : 0
    ringsOffset =
      namesOffset + namesBytes
      + (countsAllocations
        ? pages(Int(PERFKIT_ALLOCATION_SLOTS) * MemoryLayout<perfkit_allocations>.size) : 0)
    sampleCapacity = configuration.sampleCapacity
    markCapacity = configuration.markCapacity
    ringBytes = pages(MemoryLayout<perfkit_ring>.size) + sampleCapacity + markCapacity
    filledRings = min(4096, max(0, filledBytes - ringsOffset) / ringBytes)
    guard filledRings >= 2 else {
      throw .configuration("\(filledBytes) bytes have no room for two rings of \(ringBytes) bytes")
    }
    ringCount = min(4096, filledRings + configuration.spareRings)
    totalBytes = max(filledBytes, ringsOffset + ringCount * ringBytes)
  }

  private static func check(
    _ configuration: CaptureConfiguration
  ) throws(PerfProfileError) {
    guard (1...(1 << 30)).contains(configuration.segmentBytes) else {
      throw .configuration("its size must be from 1 byte to 1 GiB")
    }
    guard (0...4096).contains(configuration.spareRings) else {
      throw .configuration("the number of spare rings must be from 0 to 4096")
    }
    guard (1...(16 << 20)).contains(configuration.namesBytes) else {
      throw .configuration("the size for names must be from 1 byte to 16 MiB")
    }
    guard (0...65536).contains(configuration.stackBytes), configuration.stackBytes % 8 == 0 else {
      throw .configuration("the size of a stack copy must be a multiple of 8 bytes, at most 65,536")
    }
    let largestSample =
      MemoryLayout<perfkit_sample>.size + Int(PERFKIT_ASYNC_MAX) * 16 + configuration.stackBytes
    for (name, capacity, least) in [
      ("samples", configuration.sampleCapacity, 2 * largestSample),
      ("marks", configuration.markCapacity, pageBytes),
    ] {
      guard capacity >= least, capacity <= 1 << 28, capacity.nonzeroBitCount == 1 else {
        throw .configuration("the size for \(name) must be a power of two, at least \(least) bytes")
      }
    }
  }

  /// Returns the offset of a ring's header in the segment.
  func offset(ofRing index: Int) -> Int { ringsOffset + index * ringBytes }

  /// Returns the offset of a ring's area for samples.
  func offset(ofSamples index: Int) -> Int {
    offset(ofRing: index) + ringBytes - sampleCapacity - markCapacity
  }

  /// Returns the offset of a ring's area for marks.
  func offset(ofMarks index: Int) -> Int { offset(ofRing: index) + ringBytes - markCapacity }
}
