import CPerfFormat
import Glibc
import PerfModel
import PerfTestSupport
import Testing

@testable import PerfProfile

/// Reading the tables of the waits of tasks, which the measured process may overwrite.
struct TaskSegmentTests {
  private func write<Value>(_ value: Value, at offset: UInt64, in segment: TaskSegment) {
    _ = withUnsafeBytes(of: value) {
      pwrite(segment.descriptor, $0.baseAddress, $0.count, Int(offset))
    }
  }

  private func stack(
    kind: perfkit_task_wait, addresses: UInt32, count: UInt16, made: UInt32 = 0, name: UInt32 = 0,
    waits: UInt64 = 0, time: UInt64 = 0
  ) -> perfkit_task_stack {
    var stack = perfkit_task_stack()
    stack.hash = 1
    stack.flags = UInt8(PERFKIT_TASK_COMPLETE.rawValue)
    stack.kind = UInt8(kind.rawValue)
    (stack.addresses, stack.count, stack.made, stack.name) = (addresses, count, made, name)
    (stack.waits, stack.time_ns) = (waits, time)
    return stack
  }

  @Test func `stacks, makers, names and unfinished waits are read`() throws {
    let segment = try TaskSegment()
    var header = perfkit_tasks_header()
    header.magic = perfkit_tasks_magic
    header.process = 42
    (header.addresses_used, header.texts_used) = (3, 6)
    write(header, at: 0, in: segment)
    let size = UInt64(MemoryLayout<perfkit_task_stack>.size)
    write(
      stack(
        kind: PERFKIT_TASK_FUTURE, addresses: 0, count: 2, made: 8, name: 3, waits: 4, time: 50),
      at: perfkit_task_stacks_offset, in: segment)
    write(
      stack(kind: PERFKIT_TASK_MADE, addresses: 2, count: 1),
      at: perfkit_task_stacks_offset + 7 * size, in: segment)
    write(
      (UInt64(11), UInt64(12), UInt64(13)), at: perfkit_task_addresses_offset, in: segment)
    var name = perfkit_task_name()
    (name.hash, name.bytes) = (1, 6)
    write(
      name, at: perfkit_task_names_offset + 2 * UInt64(MemoryLayout<perfkit_task_name>.size),
      in: segment)
    for (index, byte) in "loader".utf8.enumerated() {
      write(byte, at: perfkit_task_texts_offset + UInt64(index), in: segment)
    }
    var bucket = perfkit_task_bucket()
    // One wait began before the measured phase, one in it, and the third task does not wait.
    bucket.entries.0.began_ns = 50
    bucket.entries.0.stack = 1
    bucket.entries.1.began_ns = 700
    bucket.entries.1.stack = 1
    bucket.entries.2.stack = 1
    write(bucket, at: perfkit_task_buckets_offset, in: segment)

    let waits = segment.read(in: .init(created: 0, began: 100, ended: 1000))
    #expect(waits.process == 42 && waits.unfinished == 2)
    // Unfinished waits count from 100 and 700 to 1000.
    let sum = TaskWaits.Sum(count: 6, time: 50 + 900 + 300, longest: 900)
    #expect(
      waits.stacks == [
        TaskWaits.Stack(
          kind: .future, name: "loader", addresses: [11, 12], isTruncated: false, makers: [13],
          sum: sum)
      ])
    #expect(waits.warnings(in: nil).map(\.code) == ["tasks.process", "tasks.unfinished"])
  }

  @Test func `tables of random bytes are read without an error`() throws {
    var random = SampleRandom(seed: 7)
    let segment = try TaskSegment()
    for table in [
      0, perfkit_task_stacks_offset, perfkit_task_addresses_offset, perfkit_task_names_offset,
      perfkit_task_texts_offset, perfkit_task_buckets_offset,
    ] {
      for word in 0..<UInt64(4096) { write(random.next(), at: table + 8 * word, in: segment) }
    }
    let waits = segment.read()
    #expect(waits.stacks.allSatisfy { $0.addresses.count <= Int(PERFKIT_TASK_FRAMES_MAX) })
    #expect(waits.stacks.allSatisfy { $0.sum.count >= 0 })
    // A process may also shrink the file.
    #expect(ftruncate(segment.descriptor, 5000) == 0)
    _ = segment.read()
  }

  @Test(arguments: [
    (UInt64(1) << 63, UInt64(50)), (4, .max), (.max, .max), (0, 1 << 62),
  ])
  func `waits that no process can have counted are left out with a warning`(
    waits: UInt64, time: UInt64
  ) throws {
    let segment = try TaskSegment()
    var header = perfkit_tasks_header()
    (header.process, header.lost, header.lost_ns) = (42, waits, time)
    write(header, at: 0, in: segment)
    let size = UInt64(MemoryLayout<perfkit_task_stack>.size)
    for index in UInt64(0)..<2 {
      write(
        stack(kind: PERFKIT_TASK_FUTURE, addresses: 0, count: 0, waits: waits, time: time),
        at: perfkit_task_stacks_offset + index * size, in: segment)
    }
    segment.begin()
    segment.end()
    let read = segment.read()
    #expect(read.stacks.isEmpty && read.lost.count == 0)
    #expect(read.overwritten == 3)
    #expect(read.warnings(in: Capture()).map(\.code) == ["tasks.overwritten"])
  }

  @Test func `the end of the measured phase is set once`() throws {
    let segment = try TaskSegment()
    segment.begin()
    segment.end()
    func ended() -> UInt64 {
      var header = perfkit_tasks_header()
      _ = withUnsafeMutableBytes(of: &header) {
        pread(segment.descriptor, $0.baseAddress, $0.count, 0)
      }
      return header.ended_ns
    }
    let first = ended()
    #expect(first > 0)
    segment.end()
    #expect(ended() == first)
  }
}
