internal import Observation
internal import Synchronization

/// Evaluates views like SwiftUI and records the causes.
///
/// The body of a view is evaluated again when an observable property that it read changes, or when
/// its parent passes different values. The views that an event marks are evaluated at the end of
/// the event, parents first, until evaluation marks no more views.
///
/// Use it on one thread.
final class ViewGraph {
  /// The identifier of a view in a graph.
  struct ViewID: Hashable, Sendable { fileprivate let index: Int }

  private struct View {
    let name: String
    var body: () -> Void = {}
    var handler: ChangeHandler?
    var inputs: [AnyHashable] = []
    var updates = 0
  }

  private struct ChangeHandler {
    let name: String
    let value: () -> Double
    let action: (Double) -> Void
    var last: Double
  }

  /// The limit of evaluations of a view per event; SwiftUI has a similar limit.
  private static let patience = 20

  private var views: [View] = []
  private let marks = Marks()
  private(set) var causes = UpdateCauses()

  /// Adds a view without a body; parents must be added before their children.
  func add(_ name: String) -> ViewID {
    views.append(View(name: name))
    return ViewID(index: views.count - 1)
  }

  func setBody(of view: ViewID, _ body: @escaping () -> Void) {
    views[view.index].body = body
  }

  /// Runs an action after each evaluation of a view that finds a changed value, like
  /// `onChange(of:)`; reads of the value are not observed.
  func onChange(
    in view: ViewID, of name: String, _ value: @escaping () -> Double,
    _ action: @escaping (Double) -> Void
  ) {
    views[view.index].handler = ChangeHandler(
      name: name, value: value, action: action, last: value())
  }

  /// Passes all values from a body to a child, and marks it unless it is equatable and they are
  /// equal.
  func pass(_ inputs: [AnyHashable], to child: ViewID, isEquatable: Bool) {
    guard !isEquatable || views[child.index].inputs != inputs else { return }
    views[child.index].inputs = inputs
    marks.mark(child.index, byProperty: false)
  }

  /// Runs the action of an event and evaluates the marked views.
  func handle(_ source: String, _ event: () -> Void) {
    run(as: source, event)
    settle()
  }

  /// Evaluates all views once without counting the evaluations.
  func begin() {
    for index in views.indices { marks.mark(index, byProperty: false) }
    settle()
    for index in views.indices { views[index].updates = 0 }
    causes = UpdateCauses()
  }

  /// Records the name of a property that has changed; models call it, because Observation passes no
  /// names.
  func changed(_ property: String) {
    for mark in marks.takeUnnamed() {
      causes.add(source: mark.source, property: property, view: views[mark.view].name)
    }
  }

  /// Returns the evaluations of a view since ``begin()``.
  func updates(of view: ViewID) -> Int { views[view.index].updates }

  /// The evaluations of all views since ``begin()``.
  var updates: Int { views.reduce(0) { $0 + $1.updates } }

  private func settle() {
    var evaluations: [Int: Int] = [:]
    while let index = marks.takeFirst() {
      evaluations[index, default: 0] += 1
      guard evaluations[index, default: 0] <= Self.patience else { continue }
      evaluate(index)
    }
  }

  private func evaluate(_ index: Int) {
    views[index].updates += 1
    let body = views[index].body
    let marks = marks
    withObservationTracking {
      run(as: views[index].name, body)
    } onChange: {
      marks.mark(index, byProperty: true)
    }
    guard let handler = views[index].handler else { return }
    let value = handler.value()
    guard value != handler.last else { return }
    views[index].handler?.last = value
    run(as: "\(views[index].name).onChange(of: \(handler.name))") { handler.action(value) }
  }

  private func run(as source: String, _ body: () -> Void) {
    let previous = marks.setSource(source)
    body()
    _ = marks.setSource(previous)
  }
}

/// The marked views and the current source; Observation marks views on any thread.
private final class Marks: Sendable {
  struct Mark {
    let source: String
    let view: Int
  }

  private struct State {
    var views: Set<Int> = []
    var source = ""
    var unnamed: [Mark] = []
  }

  private let state = Mutex(State())

  func mark(_ view: Int, byProperty: Bool) {
    state.withLock { state in
      state.views.insert(view)
      if byProperty { state.unnamed.append(Mark(source: state.source, view: view)) }
    }
  }

  /// Removes and returns the first marked view, which is the outermost.
  func takeFirst() -> Int? {
    state.withLock { state in state.views.min().flatMap { state.views.remove($0) } }
  }

  func takeUnnamed() -> [Mark] {
    state.withLock { state in
      defer { state.unnamed = [] }
      return state.unnamed
    }
  }

  func setSource(_ source: String) -> String {
    state.withLock { state in
      defer { state.source = source }
      return state.source
    }
  }
}
