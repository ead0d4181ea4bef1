/// The faults of a file, which are reported together.
package final class Faults {
  private var found: [ScenarioError] = []

  init() {}

  /// Runs a part of the reading, and keeps its fault.
  ///
  /// - Parameters:
  ///   - fallback: The result if the part throws, so that the other parts can be read.
  ///   - body: The part, which may contain further parts.
  /// - Returns: The part's result.
  package func collect<Value>(else fallback: Value, _ body: () throws -> Value) -> Value {
    do {
      return try body()
    } catch let fault as ScenarioError {
      add(fault)
      return fallback
    } catch {
      preconditionFailure("the reading of a file throws no \(error)")
    }
  }

  /// Keeps the fault of a check.
  package func collect(_ body: () throws -> Void) { collect(else: (), body) }

  /// Keeps a fault, once.
  func add(_ fault: ScenarioError) {
    if !found.contains(fault) { found.append(fault) }
  }

  /// The number of faults.
  var count: Int { found.count }

  /// Throws the fault, or all in the order of the file.
  func check() throws(ScenarioError) {
    guard let first = found.first else { return }
    guard found.count > 1 else { throw first }
    throw .several(
      found.enumerated().sorted { left, right in
        let (one, other) = (left.element.place, right.element.place)
        return (one.line, one.column, left.offset) < (other.line, other.column, right.offset)
      }.map(\.element))
  }
}

extension ScenarioError {
  /// The line and the column; zero for faults without a location.
  fileprivate var place: (line: Int, column: Int) {
    if case .content(let location, _) = self { (location.line, location.column) } else { (0, 0) }
  }
}
