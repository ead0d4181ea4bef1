import Dispatch
import Glibc

// Waits of tasks with known reasons. With the path of a file as argument, the program waits in three functions
// and writes the nanoseconds of each by its own clock into that file.

func now() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Occupies its thread without suspending its task.
func block(milliseconds: UInt32) { usleep(milliseconds * 1000) }

@inline(never) func waitForContinuation() async -> UInt64 {
  let began = now()
  await withCheckedContinuation { continuation in
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(50)) {
      continuation.resume()
    }
  }
  return now() - began
}

@inline(never) func waitForClock() async throws -> UInt64 {
  let began = now()
  try await Task.sleep(nanoseconds: 30_000_000)
  return now() - began
}

@inline(never) func waitForGroup() async -> UInt64 {
  let began = now()
  await withTaskGroup(of: Void.self) { group in
    group.addTask { block(milliseconds: 20) }
    await group.waitForAll()
  }
  return now() - began
}

@inline(never) func waitForResult() async {
  let task = Task { block(milliseconds: 20) }
  await task.value
}

@inline(never) func waitForLet() async {
  async let value: Void = block(milliseconds: 20)
  await value
}

actor Store {
  var uses = 0
  func use() {
    uses += 1
    block(milliseconds: 40)
  }
}

@inline(never) func waitForActor(_ store: Store) async {
  let other = Task.detached { await store.use() }
  block(milliseconds: 10)
  await store.use()
  await other.value
}

@inline(never) func sleepInChild() async throws { try await Task.sleep(nanoseconds: 40_000_000) }

@inline(never) func makeChildren() async throws {
  try await withThrowingTaskGroup(of: Void.self) { group in
    for _ in 0..<2 { group.addTask { try await sleepInChild() } }
    try await group.waitForAll()
  }
}

@inline(never) func sleepWithName() async throws { try await Task.sleep(nanoseconds: 20_000_000) }

@main struct Main {
  static func main() async throws {
    if CommandLine.arguments.count > 1 {
      var times: [UInt64] = [0, 0, 0]
      for _ in 0..<10 {
        times[0] += await waitForContinuation()
        times[1] += try await waitForClock()
        times[2] += await waitForGroup()
      }
      let file = fopen(CommandLine.arguments[1], "w")
      fputs(times.map(String.init).joined(separator: " "), file)
      fclose(file)
    } else {
      await waitForResult()
      await waitForLet()
      await waitForActor(Store())
      try await makeChildren()
      try await Task(name: "loader") { try await sleepWithName() }.value
    }
  }
}
