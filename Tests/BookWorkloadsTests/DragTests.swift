import CoverCache
import PerfTestSupport
import PerfWorkload
import Synchronization
import Testing

@testable import BookWorkloads

struct DragTests {
  private func drag(
    _ step: DragScreen.Step, events: Int = 480
  ) throws -> (counters: [String: Double], warnings: [String]) {
    let folder = try TemporaryFolder()
    let values: [String: ParameterValue] = [
      "step": .string(step.rawValue), "events": .int(events), "width": .int(64),
      "height": .int(40), "clock": .string("unpaced"),
    ]
    let warnings = Mutex<[String]>([])
    let context = MeasurementContext { warning in
      warnings.withLock { $0.append(warning.message) }
    }
    try Drag(
      PreparationContext(
        parameters: try ParameterValues(values, of: Drag.parameters), seed: 7, launch: 0,
        cacheDirectory: folder.path, scratchDirectory: folder.path)
    ).measure(context)
    #expect(Set(context.counters.keys) == Set(Drag.counters.map(\.name)))
    return (context.counters, warnings.withLock { $0 })
  }

  // Of 480 events every third is published, including the last one: 160 updates. The extracted view
  // updates for each event and again for each publication: 640. If the parent reads, it updates 640
  // times and its child once per event.
  @Test(arguments: [
    (DragScreen.Step.baseline, 480), (.cachedComponents, 480), (.moduloThree, 160), (.hotCold, 160),
    (.equalityGates, 160), (.viewExtraction, 640), (.parentReads, 1120),
  ])
  func `each step of the case study causes its number of updates`(
    step: DragScreen.Step, updates: Double
  ) throws {
    let (counters, warnings) = try drag(step)
    #expect(counters["drag.updates"] == updates)
    let isCyclic = step == .viewExtraction || step == .parentReads
    #expect(counters["drag.cycles"] == (isCyclic ? 1 : 0))
    #expect(warnings.count == (isCyclic ? 1 : 0))
    // The age is two events of 1/120 s if every third move is published, and zero otherwise.
    let staleness = step < .moduloThree ? 0 : 2e9 / 120
    #expect(abs((counters["drag.staleness_p95"] ?? -1) - staleness) < 1)
  }

  // Both sides are painted with their parent, which 480 events or 160 publications update, until equal
  // sides are not evaluated. The extracted view updates again for a publication before its children are
  // evaluated, so that they are painted once per event.
  @Test(arguments: [
    (DragScreen.Step.baseline, 960), (.cachedComponents, 960), (.moduloThree, 320), (.hotCold, 320),
    (.equalityGates, 0), (.viewExtraction, 960), (.parentReads, 960),
  ])
  func `the sides are painted with their parent until they are equatable`(
    step: DragScreen.Step, updates: Double
  ) throws {
    #expect(try drag(step).counters["drag.side_updates"] == updates)
  }

  @Test func `the update cycle of the reverted steps is reported`() throws {
    let extracted = "DynamicSlideRuleContent.onChange(of: offset) -> CursorState.currentReadings "
    #expect(
      try drag(.viewExtraction).warnings == [
        "a view causes its own update 160 times: \(extracted)-> DynamicSlideRuleContent"
      ])
    let parent = "ContentView.onChange(of: offset) -> CursorState.currentReadings -> ContentView"
    #expect(
      try drag(.parentReads).warnings == ["a view causes its own update 160 times: \(parent)"])
  }

  @Test func `a drag that ends between two publications publishes once more`() throws {
    // The events 3, 6, ... 99 are 33 of 100; the end makes 34.
    #expect(try drag(.hotCold, events: 100).counters["drag.updates"] == 34)
  }
}

struct UpdateCausesTests {
  @Test func `a cycle through several views is found once`() {
    var causes = UpdateCauses()
    for _ in 0..<3 { causes.add(source: "A", property: "x", view: "B") }
    for _ in 0..<2 { causes.add(source: "B.onChange(of: x)", property: "y", view: "C") }
    causes.add(source: "C", property: "z", view: "A")
    causes.add(source: "Gesture", property: "x", view: "A")
    causes.add(source: "A", property: "x", view: "C")
    let cycles = causes.cycles
    #expect(
      cycles.map(\.path) == [
        "A -> x -> B.onChange(of: x) -> y -> C -> z -> A", "A -> x -> C -> z -> A",
      ])
    #expect(cycles.map(\.count) == [1, 1])
  }

  @Test func `causes without a way back form no cycle`() {
    var causes = UpdateCauses()
    causes.add(source: "Gesture", property: "x", view: "A")
    causes.add(source: "A", property: "y", view: "B")
    #expect(causes.cycles.isEmpty)
  }
}

struct SlideRuleTests {
  private let rule = SlideRule()

  @Test func `the readings match the laws of the scales`() {
    // The values in the middle of the rule: K 10^1.5, A and B 10, CI and C and D 10^0.5, L 0.5, LL1
    // e^(0.01 x 10^0.5) = 1.0321, LL2 1.3719, S asin(10^-0.5) = 18.435 degrees, T 17.548 degrees,
    // LL3 23.62.
    #expect(
      rule.readings(at: 0.5).texts == [
        "31.623", "10.000", "10.000", "3.162", "3.162", "3.162", "0.500", "1.032", "1.372",
        "18.435", "17.548", "3.162", "3.162", "23.624", "31.623",
      ])
  }

  @Test func `both sides are equally high and the ticks are in order`() {
    let parts = rule.balanced(identity: 10)
    #expect(parts.map(\.identity) == [10, 11, 12, 13, 14, 15])
    #expect(parts[..<3].map(\.scales.count) == parts[3...].map(\.scales.count))
    for tick in parts.flatMap(\.scales).flatMap(\.ticks) {
      #expect((-0.001...1.001).contains(tick.place))
    }
    // The case study's long scales have more than 200 ticks.
    #expect(
      parts.flatMap(\.scales).filter { $0.name.hasPrefix("LL") }.allSatisfy { $0.ticks.count > 200 }
    )
  }
}
