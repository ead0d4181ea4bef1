internal import Dispatch
internal import PerfWorkload

/// Makes tasks in groups, each of which computes for some microseconds.
final class MakeTasks: Workload {
  static let name = "bench.tasks"
  static let summary = "Makes tasks in groups of a hundred, and awaits each group."
  static let tasks = Parameter(
    "tasks", default: 100_000, in: 100...100_000_000, "Tasks; a multiple of 100.")
  static let work = Parameter(
    "work", default: 1000, in: 0...1_000_000, "Steps of the computation of each task.")
  static let parameters: [any WorkloadParameter] = [tasks, work]

  private let groups: Int
  private let work: Int

  init(_ context: PreparationContext) throws {
    groups = max(1, context[Self.tasks] / 100)
    work = context[Self.work]
  }

  func measure(_ context: MeasurementContext) throws {
    let (groups, work) = (groups, work)
    let done = DispatchSemaphore(value: 0)
    Task.detached { () async -> Void in
      for _ in 0..<groups { await awaitGroup(work) }
      done.signal()
    }
    done.wait()
  }
}

private func awaitGroup(_ work: Int) async {
  await withTaskGroup(of: UInt64.self) { group in
    for number in 0..<100 {
      group.addTask {
        var digest = Digest(state: 88_172_645_463_325_252 &+ UInt64(number))
        return digest.churn(work)
      }
    }
    await group.waitForAll()
  }
}
