/// The number and the total cost of some entries.
struct EntryTotal {
  private(set) var count = 0
  private(set) var cost = 0

  mutating func add(cost: Int) {
    count += 1
    self.cost += cost
  }

  mutating func remove(cost: Int) {
    count -= 1
    self.cost -= cost
  }

  static func + (left: Self, right: Self) -> Self {
    Self(count: left.count + right.count, cost: left.cost + right.cost)
  }
}

/// The capacity of a table, in objects or in cost: the unit of the limit that its content is nearer
/// to.
///
/// The papers know one capacity. A table has two limits, and the sizes of its entries decide which
/// one is reached.
struct TableCapacity {
  /// The limits of the table.
  var limits = TierLimits()

  /// Returns the capacity in the unit of a content.
  func size(for content: EntryTotal) -> Int {
    isByCost(content) ? limits.bytes : limits.count
  }

  /// Returns the part of a content that some of its entries are, in the unit of the content.
  func size(of entries: EntryTotal, in content: EntryTotal) -> Int {
    isByCost(content) ? entries.cost : entries.count
  }

  /// Returns how many objects with the mean cost of a content fit within both limits.
  func objects(like content: EntryTotal) -> Int {
    let (product, overflow) = limits.bytes.multipliedReportingOverflow(by: content.count)
    guard !overflow, content.cost > 0 else { return limits.count }
    return min(limits.count, product / content.cost)
  }

  private func isByCost(_ content: EntryTotal) -> Bool {
    Double(content.cost) / Double(max(1, limits.bytes))
      > Double(content.count) / Double(max(1, limits.count))
  }
}
