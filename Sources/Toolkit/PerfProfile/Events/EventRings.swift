internal import CLinux
internal import Glibc

/// The rings of the CPUs, into which the kernel writes the records of events.
final class EventRings {
  private var rings: [(cpu: Int32, ring: clinux_event_ring)] = []
  private let scratch: UnsafeMutableRawBufferPointer
  /// The number of times that a record had an impossible length, so that the rest was dropped.
  private(set) var garbage = 0
  /// Bytes of each ring; 0 before the rings are open.
  private(set) var ringBytes = 0

  /// The largest record: its length has 16 bits.
  private static let largestRecord = 1 << 16

  init() {
    scratch = .allocate(byteCount: Self.largestRecord, alignment: 8)
  }

  deinit {
    for (_, ring) in rings {
      var ring = ring
      clinux_event_close(&ring)
    }
    scratch.deallocate()
  }

  // MARK: - Events

  /// Opens an event of a thread on each CPU, each with a ring.
  ///
  /// All rings have the first size for which the kernel lets this user lock the memory.
  ///
  /// - Parameters:
  ///   - event: The settings of the event, which must not be enabled before the rings are mapped.
  ///   - thread: The thread; 0 for the calling thread.
  ///   - sizes: The sizes of a ring in bytes, descending.
  /// - Throws: `EventObstacle` if the kernel refuses.
  func open(
    _ event: clinux_event_settings, of thread: Int32, sizes: [Int]
  ) throws(EventObstacle) {
    for cpu in 0..<max(1, clinux_configured_cpus()) {
      var ring = clinux_event_ring()
      let code = clinux_event_open(event, thread, cpu, &ring)
      // A CPU that is offline has no ring.
      if code == -ENODEV { continue }
      guard code == 0 else { throw EventObstacle(errno: -code) }
      rings.append((cpu, ring))
    }
    let code = Self.firstSuccess(of: sizes, map)
    guard code == 0 else { throw EventObstacle(errno: -code, isOfRing: true) }
  }

  /// Calls a function with one size after the other until it does not lack memory.
  ///
  /// - Parameters:
  ///   - sizes: The sizes in bytes.
  ///   - map: Maps rings of a size, and returns 0 or the negative error number.
  /// - Returns: The result of the last call.
  static func firstSuccess(of sizes: [Int], _ map: (Int) -> Int32) -> Int32 {
    var code = -EINVAL
    for bytes in sizes {
      code = map(bytes)
      guard code == -EPERM || code == -ENOMEM else { break }
    }
    return code
  }

  /// Maps all rings with one size, or none, and returns 0 or the negative error number.
  private func map(_ bytes: Int) -> Int32 {
    for place in rings.indices {
      let code = clinux_event_map(&rings[place].ring, bytes)
      guard code == 0 else {
        for mapped in rings.indices { clinux_event_unmap(&rings[mapped].ring) }
        return code
      }
    }
    ringBytes = bytes
    return 0
  }

  /// Opens an event of a further thread on each CPU, whose records go to the rings.
  ///
  /// - Returns: The descriptors, which the caller closes; empty if the thread has ended.
  /// - Throws: `EventObstacle` if the kernel refuses.
  func join(
    _ thread: Int32, _ event: clinux_event_settings
  ) throws(EventObstacle) -> [Int32] {
    var descriptors: [Int32] = []
    for (cpu, ring) in rings {
      let code = withUnsafePointer(to: ring) { clinux_event_join(event, thread, cpu, $0) }
      if code == -ESRCH { break }
      guard code >= 0 else {
        for descriptor in descriptors { close(descriptor) }
        throw EventObstacle(errno: -code)
      }
      descriptors.append(code)
    }
    return descriptors
  }

  /// The descriptors of the events that have rings.
  var descriptors: [Int32] { rings.map(\.ring.descriptor) }

  // MARK: - Records

  /// The position after the last complete record of each ring.
  var heads: [UInt64] {
    rings.map { one in withUnsafePointer(to: one.ring) { clinux_event_head($0) } }
  }

  /// Calls a function with each sample, or with each other record, up to the heads.
  func walk(_ heads: [UInt64], isOfSamples: Bool, _ body: (EventRecord) -> Void) {
    for ((_, ring), head) in zip(rings, heads) {
      let (data, tail) = withUnsafePointer(to: ring) {
        (clinux_event_data($0), clinux_event_tail($0))
      }
      var place = tail
      while place < head {
        let start = Int(place & UInt64(ring.bytes - 1))
        // A record of at least 8 bytes never has its header divided.
        let bytes = Int((data + start).loadUnaligned(fromByteOffset: 6, as: UInt16.self))
        guard bytes >= 8, UInt64(bytes) <= head - place else {
          // Both walks end here.
          if isOfSamples { garbage += 1 }
          break
        }
        defer { place += UInt64(bytes) }
        let kind = (data + start).loadUnaligned(as: UInt32.self)
        guard (kind == CLINUX_EVENT_SAMPLE.rawValue) == isOfSamples else { continue }
        let first = min(bytes, ring.bytes - start)
        if let target = scratch.baseAddress {
          target.copyMemory(from: data + start, byteCount: first)
          (target + first).copyMemory(from: data, byteCount: bytes - first)
        }
        if let record = EventRecord(UnsafeRawBufferPointer(rebasing: scratch[..<bytes])) {
          body(record)
        }
      }
    }
  }

  /// Releases all records up to the heads.
  func release(_ heads: [UInt64]) {
    for (index, head) in heads.enumerated() {
      withUnsafePointer(to: rings[index].ring) { clinux_event_release($0, head) }
    }
  }
}
