internal import CLinux
internal import CPerfFormat

/// Reads the tables of the waits of tasks.
///
/// The process may have overwritten them, so every number is checked.
struct TaskTableReader {
  let header: perfkit_tasks_header
  let phase: TaskSegment.Phase
  let stacks: [perfkit_task_stack]
  let addresses: [UInt64]
  let names: [perfkit_task_name]
  let texts: [UInt8]

  /// The waits that had not ended, by the number of their stack.
  private var unfinished: [UInt32: TaskWaits.Sum] = [:]

  init(
    header: perfkit_tasks_header, phase: TaskSegment.Phase, stacks: [perfkit_task_stack],
    addresses: [UInt64], names: [perfkit_task_name], texts: [UInt8]
  ) {
    (self.header, self.phase) = (header, phase)
    (self.stacks, self.addresses) = (stacks, addresses)
    (self.names, self.texts) = (names, texts)
  }

  /// Returns whether a process can have counted this: a wait takes 100 ns of a CPU at least.
  private func isPossible(_ sum: TaskWaits.Sum) -> Bool {
    let life = monotonicNanoseconds() - phase.created
    let cpus = UInt64(max(1, clinux_configured_cpus()))
    let most = min(life.multipliedClamped(by: cpus) / 100, 1 << 40)
    // Each thread may have died between two of its counters.
    let counted = UInt64(sum.count).addingClamped(UInt64(PERFKIT_ALLOCATION_SLOTS))
    return UInt64(sum.count) <= most && sum.longest <= life
      && sum.time <= counted.multipliedClamped(by: life)
  }

  /// Adds the tasks of a bucket that still wait.
  mutating func add(_ bucket: perfkit_task_bucket) {
    withUnsafeBytes(of: bucket.entries) { bytes in
      for entry in bytes.bindMemory(to: perfkit_task_entry.self) where entry.began_ns != 0 {
        let began = max(entry.began_ns, phase.began)
        guard phase.began > 0, began <= phase.ended else { continue }
        unfinished[entry.stack, default: TaskWaits.Sum()].add(phase.ended - began)
      }
    }
  }

  /// Returns all waits.
  func waits() -> TaskWaits {
    var waits = TaskWaits(
      process: Int32(truncatingIfNeeded: header.process), otherProcesses: Int(header.processes),
      unknown: Int(header.unknown))
    let lost = TaskWaits.Sum(count: Int(clamping: header.lost), time: header.lost_ns)
    if isPossible(lost) { waits.lost = lost } else { waits.overwritten += 1 }
    for (index, stack) in stacks.enumerated() where isComplete(stack) {
      let going = unfinished[UInt32(index + 1)]
      var sum = TaskWaits.Sum(
        count: Int(clamping: stack.waits), time: stack.time_ns, longest: stack.longest_ns)
      guard isPossible(sum) else {
        waits.overwritten += 1
        continue
      }
      if let going {
        sum.add(going)
        waits.unfinished += going.count
      }
      guard sum.count > 0, let kind = TaskWaits.Kind(rawValue: Int(stack.kind)) else { continue }
      waits.stacks.append(
        TaskWaits.Stack(
          kind: kind, name: name(stack.name), addresses: addresses(of: stack),
          isTruncated: UInt32(stack.flags) & PERFKIT_TASK_TRUNCATED.rawValue != 0,
          makers: makers(stack.made), sum: sum))
    }
    if let going = unfinished[0] {
      waits.lost.add(going)
      waits.unfinished += going.count
    }
    return waits
  }

  private func isComplete(_ stack: perfkit_task_stack) -> Bool {
    stack.hash != 0 && UInt32(stack.flags) & PERFKIT_TASK_COMPLETE.rawValue != 0
  }

  private func addresses(of stack: perfkit_task_stack) -> [UInt64] {
    let first = Int(stack.addresses)
    let end = first + min(Int(stack.count), Int(PERFKIT_TASK_FRAMES_MAX))
    return end <= addresses.count ? Array(addresses[first..<end]) : []
  }

  /// Returns the return addresses of the stack that made a task; empty if it is unknown.
  private func makers(_ number: UInt32) -> [UInt64] {
    guard number > 0, Int(number) <= stacks.count else { return [] }
    let stack = stacks[Int(number) - 1]
    return isComplete(stack) && UInt32(stack.kind) == PERFKIT_TASK_MADE.rawValue
      ? addresses(of: stack) : []
  }

  /// Returns a name; empty if there is none.
  private func name(_ number: UInt32) -> String {
    guard number > 0, Int(number) <= names.count else { return "" }
    let name = names[Int(number) - 1]
    let (first, end) = (Int(name.text), Int(name.text) + Int(name.bytes))
    return end <= texts.count ? String(decoding: texts[first..<end], as: UTF8.self) : ""
  }
}
