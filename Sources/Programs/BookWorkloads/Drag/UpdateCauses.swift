/// Records which source caused the update of which view, and finds views that cause their own
/// updates.
struct UpdateCauses {
  /// A change that caused the update of a view.
  struct Cause: Hashable {
    /// The gesture or the evaluated view: `Name` or `Name.onChange(of: value)`.
    let source: String
    /// The changed property.
    let property: String
    /// The updated view.
    let view: String
  }

  /// A cycle of views that cause each other's updates, so that one event needs several evaluations.
  struct Cycle: Hashable {
    /// The changes in order; the view of the last change is the source of the first.
    let causes: [Cause]
    /// The number of times that the rarest change happened.
    let count: Int

    /// The cycle as text, such as `A.onChange(of: x) -> State.y -> A`.
    var path: String {
      causes.map { "\($0.source) -> \($0.property)" }.joined(separator: " -> ")
        + " -> \(causes.last?.view ?? "")"
    }
  }

  private(set) var counts: [Cause: Int] = [:]

  /// Counts a change that caused the update of a view.
  mutating func add(source: String, property: String, view: String) {
    counts[Cause(source: source, property: property, view: view), default: 0] += 1
  }

  /// All cycles of views, each once, the most frequent first.
  ///
  /// - Complexity: O(number of paths without a repeated view), which is small for few views.
  var cycles: [Cycle] {
    let causes = counts.keys.sorted {
      ($0.source, $0.property, $0.view) < ($1.source, $1.property, $1.view)
    }
    var found: [Cycle] = []
    func follow(_ path: [Cause]) {
      guard let first = path.first, let last = path.last else { return }
      if last.view == first.author {
        let count = path.map { counts[$0] ?? 0 }.min() ?? 0
        found.append(Cycle(causes: path, count: count))
        return
      }
      // A cycle starts at its alphabetically first view, so that it is found only once.
      for next in causes
      where next.author == last.view && next.author > first.author
        && !path.contains(where: { $0.author == next.author })
      {
        follow(path + [next])
      }
    }
    for cause in causes { follow([cause]) }
    return found.sorted { ($1.count, $0.path) < ($0.count, $1.path) }
  }
}

extension UpdateCauses.Cause {
  /// The view that caused the change, also for changes in its handlers.
  fileprivate var author: String {
    String(source.prefix { $0 != "." })
  }
}
