internal import Observation

/// The cursor of the slide rule and its readings: the model of the drag.
@Observable
final class CursorState {
  /// The way in which changes are published.
  struct Publishing: Hashable {
    /// The number of moves per published reading.
    var every = 1
    /// Whether the position of the hairline is not observed by views.
    var hidesPlace = false
    /// Whether readings with equal texts are published only once.
    var isGated = false
  }

  /// The readings that views display.
  private(set) var currentReadings = CursorReadings.empty {
    didSet { graph.changed("CursorState.currentReadings") }
  }
  /// The position of the hairline in 0...1, observed by views.
  private(set) var place = 0.0 {
    didSet { graph.changed("CursorState.place") }
  }
  /// Whether readings are displayed.
  var isEnabled = true {
    didSet { graph.changed("CursorState.isEnabled") }
  }

  /// The position of the hairline, which changes with every event and is not observed.
  @ObservationIgnored private(set) var hotPlace = 0.0
  @ObservationIgnored private var moves = 0
  @ObservationIgnored private var shownMove = 0
  @ObservationIgnored private let publishing: Publishing
  @ObservationIgnored private let rule: SlideRule
  @ObservationIgnored private let graph: ViewGraph

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
    // Equal texts need no update.
    if publishing.isGated, readings.texts == currentReadings.texts { return }
    currentReadings = readings
  }

  /// Publishes the readings of the last move.
  func end() {
    guard shownMove < moves else { return }
    shownMove = moves
    currentReadings = rule.readings(at: hotPlace)
  }

  /// The number of moves since the displayed readings were current.
  var age: Int { moves - shownMove }
}

/// The state of a view that the gesture writes, like `@State` and `@Binding`.
@Observable
final class DragState {
  /// The position of the finger in 0...1.
  var offset = 0.0 {
    didSet { graph.changed("offset") }
  }
  @ObservationIgnored private let graph: ViewGraph

  init(graph: ViewGraph) { self.graph = graph }
}
