internal import DequeModule

/// The loads that wait for a thread, by priority and in the order of their addition.
///
/// A removed or moved load stays in its old place as a stale ticket, because removing it from the
/// middle takes O(*n*) under a lock that the frame thread needs.
struct LoadLine {
  private struct Ticket {
    let load: CoverLoad
    let number: Int
  }

  private var tickets: [LoadPriority: Deque<Ticket>] = [:]
  /// The priorities and the valid tickets of the waiting loads.
  private var valid: [CoverLoad: (priority: LoadPriority, number: Int)] = [:]
  private var nextNumber = 0

  func contains(_ load: CoverLoad) -> Bool { valid[load] != nil }

  /// Adds a load at the end, or moves a waiting load to the end of a higher priority.
  mutating func append(_ load: CoverLoad, _ priority: LoadPriority) {
    if let known = valid[load], known.priority >= priority { return }
    removeStale(priority)
    tickets[priority, default: []].append(Ticket(load: load, number: nextNumber))
    valid[load] = (priority, nextNumber)
    nextNumber += 1
  }

  /// Removes and returns the first load of the highest priority.
  ///
  /// - Complexity: O(1) amortised.
  mutating func popFirst() -> CoverLoad? {
    for priority in LoadPriority.allCases.reversed() {
      while let ticket = tickets[priority]?.popFirst() {
        guard valid[ticket.load]?.number == ticket.number else { continue }
        valid[ticket.load] = nil
        return ticket.load
      }
    }
    return nil
  }

  mutating func remove(_ load: CoverLoad) { valid[load] = nil }

  mutating func removeAll() {
    tickets = [:]
    valid = [:]
  }

  /// Removes the stale tickets when they are the larger part, as after many cancelled requests.
  private mutating func removeStale(_ priority: LoadPriority) {
    guard let count = tickets[priority]?.count, count > 2 * valid.count + 64 else { return }
    tickets[priority]?.removeAll { valid[$0.load]?.number != $0.number }
  }
}
