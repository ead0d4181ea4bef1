import PerfModel
import PerfProtocol
import Testing

@testable import PerfRunner

struct WorkerDescriptionTests {
  private func hello(unit: String, direction: String = "higher") -> Hello {
    Hello(
      suite: "S", build: Hello.Build(configuration: "release", compiler: "6.3"),
      workloads: [
        Hello.Workload(
          name: "w", summary: "does", startsAtLaunch: true,
          parameters: [
            Hello.Parameter(
              name: "n", kind: .int, defaultValue: .int(3), summary: "how many", minimum: 1)
          ],
          counters: [
            Hello.Counter(
              name: "c", unit: unit, direction: direction, scale: "difference", summary: nil,
              isDeterministic: nil)
          ])
      ])
  }

  @Test func `a hello becomes workloads with parameters and counters`() throws {
    let description = try WorkerDescription(hello(unit: "ratio"))
    let workload = try #require(description.workload(named: "w"))
    #expect(workload.startsAtLaunch)
    #expect(
      workload.parameters == [
        .init(name: "n", kind: .int, defaultValue: .int(3), summary: "how many", minimum: 1)
      ])
    #expect(workload.counters.map(\.name) == ["c"])
    #expect(workload.counters.first?.dimension == .ratio)
    #expect(description.compiler == "6.3")
  }

  @Test(arguments: [("furlong", "higher"), ("ratio", "sideways")])
  func `an unknown unit or direction is refused by its name`(
    unit: String, direction: String
  ) throws {
    let error = try #require(throws: WorkerDescription.UnknownWord.self) {
      try WorkerDescription(hello(unit: unit, direction: direction))
    }
    #expect(["furlong", "sideways"].contains(error.word))
    #expect(error.description.contains("counter 'c' of 'w'"))
  }
}
