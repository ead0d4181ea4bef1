internal import CoverCache
internal import Glibc
internal import PerfWorkload

/// Drags the cursor of a slide rule back and forth, with one event per frame.
struct Drag: Workload {
  static let name = "book.drag"
  static let summary =
    "Drags the cursor of a slide rule and evaluates the views that this updates."
  static let step = Parameter(
    "step", default: DragScreen.Step.equalityGates,
    "Step of the case study: structure of the model and the views.")
  static let events = Parameter(
    "events", default: 480, in: 1...100_000, "Events of the drag, one per frame.")
  static let width = Parameter(
    "width", default: 2_752, in: 16...10_000, "Width of the screen, in pixels.")
  static let height = Parameter(
    "height", default: 2_064, in: 20...10_000, "Height of the screen, in pixels.")
  static let scale = Parameter(
    "scale", default: 1.0, in: 0.1...8, "Factor of the width and of the height.")
  static let parameters: [any WorkloadParameter] = [
    step, events, refresh, width, height, scale, clock,
  ]
  static let counters: [CounterDeclaration] = [
    .count(
      "drag.updates", .lower, isExact: true,
      "Evaluations of the view that contains the rule and of the view extracted from it."),
    .count("drag.view_updates", .lower, isExact: true, "Evaluations of all views."),
    .count(
      "drag.readings_updates", .lower, isExact: true,
      "Evaluations of the view that displays the readings."),
    .count("drag.side_updates", .lower, isExact: true, "Evaluations of the two sides of the rule."),
    .count("drag.cycles", .lower, isExact: true, "Cycles of views that cause their own updates."),
    .time(
      "drag.staleness_p95", .lower, isExact: true,
      "Age of the displayed readings, 95th percentile of the events."),
  ]

  private let screen: DragScreen
  private let clock: FrameClock
  private let events: Int
  private let refresh: Double

  init(_ context: PreparationContext) throws {
    let parameters = context.parameters
    let scale = parameters[Self.scale]
    func scaled(_ pixels: Int) -> Int { Int((Double(pixels) * scale).rounded()) }
    screen = DragScreen(
      parameters[Self.step],
      size: PixelSize(
        width: scaled(parameters[Self.width]), height: scaled(parameters[Self.height])))
    refresh = parameters[Self.refresh]
    clock = FrameClock(refresh: refresh, paced: parameters[Self.clock] == .paced)
    events = parameters[Self.events]
  }

  func measure(_ context: MeasurementContext) throws {
    var ages: [Int] = []
    ages.reserveCapacity(events)
    clock.animate("drag", while: { _ in ages.count < events }) { _ in
      // The drag goes from left to right and back one and a half times.
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
        code: "drag.cycle",
        message: "a view causes its own update \(cycle.count) times: \(cycle.path)",
        remedy: "Set the property in the event's handler, not in the view that reads it.")
    }
  }
}
