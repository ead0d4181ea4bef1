internal import Observation
internal import Synchronization

/// Evaluates views as SwiftUI does, and remembers why.
///
/// A view's body runs again when something observable that it has read changes, or when its parent
/// passes it other values. What is marked during an event is evaluated at its end, parents first, and
/// again as long as evaluation itself marks something.
///
/// One thread uses it.
final class ViewGraph {
  /// Names a view of a graph.
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

  /// The most evaluations of a view at the end of one event; SwiftUI gives up, too.
  private static let patience = 20

  private var views: [View] = []
  private let marks = Marks()
  private(set) var causes = UpdateCauses()

  /// Adds a view that has no body yet; parents are added before their children.
  func add(_ name: String) -> ViewID {
    views.append(View(name: name))
    return ViewID(index: views.count - 1)
  }

  /// Sets what a view does and what it reads.
  func setBody(of view: ViewID, _ body: @escaping () -> Void) {
    views[view.index].body = body
  }

  /// Runs an action behind each evaluation of a view that finds another value: `onChange(of:)`.
  ///
  /// - Parameters:
  ///   - view: Whose evaluations.
  ///   - name: Of the value.
  ///   - value: Returns it; what it reads is not observed.
  ///   - action: Takes the new value.
  func onChange(
    in view: ViewID, of name: String, _ value: @escaping () -> Double,
    _ action: @escaping (Double) -> Void
  ) {
    views[view.index].handler = ChangeHandler(
      name: name, value: value, action: action, last: value())
  }

  /// Passes values from a body to a child, which is evaluated if it must be.
  ///
  /// - Parameters:
  ///   - inputs: All that the child is given.
  ///   - child: Another view.
  ///   - isEquatable: Whether the child may be left alone when the values are the same.
  func pass(_ inputs: [AnyHashable], to child: ViewID, isEquatable: Bool) {
    guard !isEquatable || views[child.index].inputs != inputs else { return }
    views[child.index].inputs = inputs
    marks.mark(child.index, byProperty: false)
  }

  /// Takes an event: runs what it does, and evaluates what that has marked.
  func handle(_ source: String, _ event: () -> Void) {
    run(as: source, event)
    settle()
  }

  /// Evaluates all views for the first time; that counts for nothing.
  func begin() {
    for index in views.indices { marks.mark(index, byProperty: false) }
    settle()
    for index in views.indices { views[index].updates = 0 }
    causes = UpdateCauses()
  }

  /// Says which property has just changed; models call it, since Observation does not tell.
  func changed(_ property: String) {
    for mark in marks.takeUnnamed() {
      causes.add(source: mark.source, property: property, view: views[mark.view].name)
    }
  }

  /// How often a view was evaluated since ``begin()``.
  func updates(of view: ViewID) -> Int { views[view.index].updates }

  /// How often any view was.
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

/// Which views are to be evaluated, and who is at work; Observation marks from wherever it is called.
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

  /// Removes the first marked view, that is the outermost.
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
