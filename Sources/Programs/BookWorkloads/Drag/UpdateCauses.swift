/// Who has made which view update by changing what, and whether some view did so to itself.
struct UpdateCauses {
  /// A change that made a view update.
  struct Cause: Hashable {
    /// The gesture, or the view that was at work: `Name` or `Name.onChange(of: value)`.
    let source: String
    /// What was changed.
    let property: String
    /// What was evaluated for it.
    let view: String
  }

  /// Views that make each other update, so that one event has several evaluations.
  struct Cycle: Hashable {
    /// The changes in their order; the last one's view is the first one's source.
    let causes: [Cause]
    /// How often the rarest of them happened.
    let count: Int

    /// As `A.onChange(of: x) -> State.y -> A`.
    var path: String {
      causes.map { "\($0.source) -> \($0.property)" }.joined(separator: " -> ")
        + " -> \(causes.last?.view ?? "")"
    }
  }

  private(set) var counts: [Cause: Int] = [:]

  /// Counts a change that made a view update.
  mutating func add(source: String, property: String, view: String) {
    counts[Cause(source: source, property: property, view: view), default: 0] += 1
  }

  /// All cycles of views, each once, the most frequent first.
  ///
  /// - Complexity: O(paths without a view twice), of which a handful of views has few.
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
      // A cycle begins at its first view by name, so that it is found once.
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
  /// The view that was at work, its handlers included.
  fileprivate var author: String {
    String(source.prefix { $0 != "." })
  }
}
