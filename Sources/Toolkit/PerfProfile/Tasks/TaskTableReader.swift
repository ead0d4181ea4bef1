internal import CPerfFormat

/// Reads the tables of the waits of tasks.
///
/// The process may have overwritten them, so every number is checked.
struct TaskTableReader {
  let header: perfkit_tasks_header
  let stacks: [perfkit_task_stack]
  let addresses: [UInt64]
  let names: [perfkit_task_name]
  let texts: [UInt8]

  /// The waits that had not ended, by the number of their stack.
  private var unfinished: [UInt32: TaskWaits.Sum] = [:]

  init(
    header: perfkit_tasks_header, stacks: [perfkit_task_stack], addresses: [UInt64],
    names: [perfkit_task_name], texts: [UInt8]
  ) {
    (self.header, self.stacks, self.addresses) = (header, stacks, addresses)
    (self.names, self.texts) = (names, texts)
  }

  /// Adds the tasks of a bucket that still wait.
  mutating func add(_ bucket: perfkit_task_bucket) {
    withUnsafeBytes(of: bucket.entries) { bytes in
      for entry in bytes.bindMemory(to: perfkit_task_entry.self) where entry.began_ns != 0 {
        let began = max(entry.began_ns, header.began_ns)
        guard header.began_ns > 0, began <= header.ended_ns else { continue }
        unfinished[entry.stack, default: TaskWaits.Sum()].add(header.ended_ns - began)
      }
    }
  }

  /// Returns all waits.
  func waits() -> TaskWaits {
    var waits = TaskWaits(
      process: Int32(truncatingIfNeeded: header.process), otherProcesses: Int(header.processes),
      unknown: Int(header.unknown))
    waits.lost = TaskWaits.Sum(
      count: Int(clamping: header.lost), time: header.lost_ns)
    for (index, stack) in stacks.enumerated() where isComplete(stack) {
      let going = unfinished[UInt32(index + 1)]
      var sum = TaskWaits.Sum(
        count: Int(clamping: stack.waits), time: stack.time_ns, longest: stack.longest_ns)
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
