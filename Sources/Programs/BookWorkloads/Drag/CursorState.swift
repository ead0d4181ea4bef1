internal import Observation

/// The cursor of the rule and what is read under it: the model of the drag.
@Observable
final class CursorState {
  /// How changes are published.
  struct Publishing: Hashable {
    /// One of so many readings is published.
    var every = 1
    /// Whether the place of the hairline is internal and no view is told of it.
    var hidesPlace = false
    /// Whether readings that look the same are published once.
    var isGated = false
  }

  /// What views display.
  private(set) var currentReadings = CursorReadings.empty {
    didSet { graph.changed("CursorState.currentReadings") }
  }
  /// Where the hairline is, in 0...1, for views that ask.
  private(set) var place = 0.0 {
    didSet { graph.changed("CursorState.place") }
  }
  /// Whether readings are displayed at all.
  var isEnabled = true {
    didSet { graph.changed("CursorState.isEnabled") }
  }

  /// The hot properties: they change at every event, and nobody is told.
  @ObservationIgnored private(set) var hotPlace = 0.0
  @ObservationIgnored private var moves = 0
  @ObservationIgnored private var shownMove = 0
  @ObservationIgnored private let publishing: Publishing
  @ObservationIgnored private let rule: SlideRule
  @ObservationIgnored private let graph: ViewGraph

  /// Makes a cursor at the left end.
  init(rule: SlideRule, publishing: Publishing, graph: ViewGraph) {
    self.rule = rule
    self.publishing = publishing
    self.graph = graph
  }

  /// Moves the hairline and reads the scales.
  func move(to place: Double) {
    hotPlace = place
    if !publishing.hidesPlace { self.place = place }
    let readings = rule.readings(at: place)
    moves += 1
    guard moves.isMultiple(of: publishing.every) else { return }
    shownMove = moves
    // What looks the same is as good as published.
    if publishing.isGated, readings.texts == currentReadings.texts { return }
    currentReadings = readings
  }

  /// Publishes what the last move has read.
  func end() {
    guard shownMove < moves else { return }
    shownMove = moves
    currentReadings = rule.readings(at: hotPlace)
  }

  /// How many moves ago the readings were current that are displayed now.
  var age: Int { moves - shownMove }
}

/// The state of a view that the gesture writes, as `@State` and `@Binding` are.
@Observable
final class DragState {
  /// How far the finger has come, in 0...1.
  var offset = 0.0 {
    didSet { graph.changed("offset") }
  }
  @ObservationIgnored private let graph: ViewGraph

  /// Makes the state before a drag.
  init(graph: ViewGraph) { self.graph = graph }
}
