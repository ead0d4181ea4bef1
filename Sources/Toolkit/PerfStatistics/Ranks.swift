/// Ranks of values, ties sharing the mean of the ranks that they take.
struct Ranks {
  /// Twice the rank of each value, in the order of the values; doubled midranks are whole numbers.
  let doubled: [Int]
  /// How many values each group of equal ones has, groups of one included.
  let groupSizes: [Int]

  /// Ranks values from 1, the smallest.
  init(_ values: [Double]) {
    let order = values.indices.sorted { values[$0] < values[$1] }
    var doubled = [Int](repeating: 0, count: values.count)
    var sizes: [Int] = []
    var start = 0
    while start < order.count {
      var end = start
      while end < order.count, values[order[end]] == values[order[start]] { end += 1 }
      // The mean of ranks start + 1 ... end, doubled.
      for position in start..<end { doubled[order[position]] = start + 1 + end }
      sizes.append(end - start)
      start = end
    }
    self.doubled = doubled
    groupSizes = sizes
  }

  /// Whether any two values are equal.
  var hasTies: Bool { groupSizes.contains { $0 > 1 } }

  /// The sum of t^3 - t over the groups of t equal values.
  var tieTerm: Double {
    groupSizes.reduce(0) { sum, size in
      let size = Double(size)
      return sum + size * size * size - size
    }
  }
}
