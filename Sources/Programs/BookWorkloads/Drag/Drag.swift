internal import CoverCache
internal import Glibc
internal import PerfWorkload

/// Drags the cursor of a slide rule to and fro, an event a frame.
struct Drag: Workload {
  static let name = "book.drag"
  static let summary =
    "Drags the cursor of a slide rule and evaluates the views that it makes update."
  static let parameters: [ParameterDeclaration] = [
    .choice("step", default: DragScreen.Step.equalityGates, "How model and views are built."),
    .int("events", default: 480, in: 1...100_000, "Events of the drag; each frame takes one."),
    .double("refresh", default: 120, in: 1...1_000, "Refresh rate of the display, in hertz."),
    .int("width", default: 2_752, in: 16...10_000, "Pixels across."),
    .int("height", default: 2_064, in: 20...10_000, "Pixels from top to bottom."),
    .string(
      "clock", default: "paced", choices: ["paced", "unpaced"],
      "Whether frames wait for their refresh."),
  ]
  static let counters = [
    CounterDeclaration(
      "drag.updates", unit: .count, direction: .lower, isDeterministic: true,
      "Evaluations of the view that holds the rule, and of the one that was extracted from it."),
    CounterDeclaration(
      "drag.view_updates", unit: .count, direction: .lower, isDeterministic: true,
      "Evaluations of all views."),
    CounterDeclaration(
      "drag.readings_updates", unit: .count, direction: .lower, isDeterministic: true,
      "Evaluations of the view that displays the readings."),
    CounterDeclaration(
      "drag.side_updates", unit: .count, direction: .lower, isDeterministic: true,
      "Evaluations of the two sides of the rule, which paint its scales."),
    CounterDeclaration(
      "drag.cycles", unit: .count, direction: .lower, isDeterministic: true,
      "Cycles of views that make themselves update."),
    CounterDeclaration(
      "drag.staleness_p95", unit: .nanoseconds, direction: .lower, isDeterministic: true,
      "How long ago the displayed readings were current: 95th percentile over events."),
  ]

  private let screen: DragScreen
  private let clock: FrameClock
  private let events: Int
  private let refresh: Double

  init(_ context: PreparationContext) throws {
    let parameters = context.parameters
    screen = DragScreen(
      try parameters.choice("step"),
      size: PixelSize(
        width: try parameters.int("width"), height: try parameters.int("height")))
    refresh = try parameters.double("refresh")
    clock = FrameClock(refresh: refresh, paced: try parameters.string("clock") == "paced")
    events = try parameters.int("events")
  }

  func measure(_ context: MeasurementContext) throws {
    var ages: [Int] = []
    ages.reserveCapacity(events)
    clock.animate("drag", while: { _ in ages.count < events }) { _ in
      // One and a half times from left to right and back.
      let turn = Double(ages.count + 1) / Double(events) * 3 * .pi
      screen.drag(to: 0.5 - 0.45 * cos(turn))
      ages.append(screen.cursor.age)
    }
    screen.endDrag()
    context.report("drag.updates", screen.contentUpdates)
    context.report("drag.view_updates", screen.graph.updates)
    context.report("drag.readings_updates", screen.readingsUpdates)
    context.report("drag.side_updates", screen.sideUpdates)
    let age = ages.sorted()[(events * 95 + 99) / 100 - 1]
    context.report("drag.staleness_p95", Double(age) * 1e9 / refresh)
    let cycles = screen.graph.causes.cycles
    context.report("drag.cycles", cycles.count)
    for cycle in cycles {
      context.warn(
        "drag.cycle", "a view makes itself update, \(cycle.count) times: \(cycle.path)",
        remedy: "Change the property where the event comes from, not where it is read.")
    }
  }
}
