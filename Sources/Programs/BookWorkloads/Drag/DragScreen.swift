internal import CoverCache

/// The views of the slide rule, structured as in one step of the case study.
///
/// The bodies do the real work: they compute the ticks of thirteen scales and paint them.
final class DragScreen {
  /// The steps of the case study in their order.
  enum Step: String, CaseIterable {
    case baseline
    /// Action 1: the balanced parts are created once.
    case cachedComponents = "cached-components"
    /// Phase 1, part A: every third reading is published.
    case moduloThree = "modulo-3"
    /// Phase 1, part B: views do not observe the position of the hairline.
    case hotCold = "hot-cold"
    /// Phase 1, part C: readings with equal texts cause no update.
    case equalityGates = "equality-gates"
    /// Phase 2, reverted: an extracted view that moves the cursor when its offset changes.
    case viewExtraction = "view-extraction"
    /// Phase 3, reverted: the parent moves the cursor and reads the values for its child.
    case parentReads = "parent-reads"
  }

  let graph = ViewGraph()
  let cursor: CursorState
  private let drag: DragState
  private let step: Step
  private let rule = SlideRule()
  private let painter: SlideRulePainter
  private var parts: [SlideRule.Part]
  private var identity: Int
  /// The values that a child receives, like the properties of a view.
  private var passed = CursorReadings.empty

  private let content: ViewGraph.ViewID
  private var extracted: ViewGraph.ViewID?
  private let picker: ViewGraph.ViewID
  private let sides: [ViewGraph.ViewID]
  private let readings: ViewGraph.ViewID
  private let hairline: ViewGraph.ViewID

  /// Creates the views of a step and evaluates each of them once.
  init(_ step: Step, size: PixelSize) {
    self.step = step
    cursor = CursorState(rule: rule, publishing: step.publishing, graph: graph)
    drag = DragState(graph: graph)
    painter = SlideRulePainter(size: size)
    parts = rule.balanced(identity: 0)
    identity = parts.count
    content = graph.add("ContentView")
    if step.isExtracted { extracted = graph.add("DynamicSlideRuleContent") }
    picker = graph.add("SlideRulePicker")
    sides = [graph.add("SideView(front)"), graph.add("SideView(back)")]
    readings = graph.add("CursorReadingsDisplayView")
    hairline = graph.add("CursorOverlay")
    build()
    graph.begin()
  }

  /// Handles an event of the drag and evaluates the affected views.
  func drag(to place: Double) {
    graph.handle("DragGesture") {
      if step.isExtracted { drag.offset = place } else { cursor.move(to: place) }
    }
    painter.moveHairline(to: cursor.hotPlace)
  }

  /// Handles the end of the drag.
  func endDrag() {
    graph.handle("DragGesture") { cursor.end() }
  }

  /// The evaluations of the view that contains the rule and of the view extracted from it.
  var contentUpdates: Int {
    graph.updates(of: content) + (extracted.map { graph.updates(of: $0) } ?? 0)
  }

  /// The evaluations of the view that displays the readings.
  var readingsUpdates: Int { graph.updates(of: readings) }

  /// The evaluations of both sides.
  var sideUpdates: Int { sides.reduce(0) { $0 + graph.updates(of: $1) } }

  // MARK: - Bodies

  private func build() {
    graph.setBody(of: content) { [unowned self] in composeContent() }
    if let extracted {
      graph.setBody(of: extracted) { [unowned self] in
        if step == .viewExtraction {
          _ = drag.offset
          composeRule(cursor.currentReadings)
        } else {
          composeRule(passed)
        }
      }
      let owner = step == .viewExtraction ? extracted : content
      graph.onChange(in: owner, of: "offset", { [unowned self] in drag.offset }) {
        [unowned self] place in cursor.move(to: place)
      }
    }
    graph.setBody(of: picker) { [unowned self] in painter.paintPicker() }
    for (index, side) in sides.enumerated() {
      graph.setBody(of: side) { [unowned self] in
        painter.paint(Array(parts[index * 3..<index * 3 + 3]), side: index)
      }
    }
    graph.setBody(of: readings) { [unowned self] in painter.paint(passed) }
    graph.setBody(of: hairline) { [unowned self] in
      if step < .hotCold { painter.moveHairline(to: cursor.place) }
    }
  }

  private func composeContent() {
    switch (step, extracted) {
    case (.viewExtraction, _): break
    case (_, let extracted?):
      passed = cursor.currentReadings
      graph.pass([drag.offset, cursor.isEnabled, passed], to: extracted, isEquatable: true)
    case (_, nil): composeRule(cursor.currentReadings)
    }
    graph.pass([], to: picker, isEquatable: step >= .equalityGates)
  }

  /// Composes the rule from its views, as part of a body.
  private func composeRule(_ current: CursorReadings) {
    passed = current
    if step == .baseline {
      parts = rule.balanced(identity: identity)
      identity += parts.count
    }
    // The case study saw both sides updating together with their parent until they were equatable.
    for (index, side) in sides.enumerated() {
      graph.pass(
        parts[index * 3..<index * 3 + 3].map { AnyHashable($0.identity) }, to: side,
        isEquatable: step == .equalityGates)
    }
    graph.pass([current], to: readings, isEquatable: step >= .equalityGates)
  }
}

extension DragScreen.Step {
  fileprivate var isExtracted: Bool { self == .viewExtraction || self == .parentReads }

  fileprivate var publishing: CursorState.Publishing {
    CursorState.Publishing(
      every: self >= .moduloThree ? 3 : 1, hidesPlace: self >= .hotCold,
      isGated: self >= .equalityGates)
  }
}

extension DragScreen.Step: Comparable {
  /// Returns whether `left` was tried before `right`.
  static func < (left: Self, right: Self) -> Bool {
    (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
  }
}
