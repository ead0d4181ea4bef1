/// The ranks of values; equal values share the mean of their ranks.
struct Ranks {
  /// Twice the rank of each value, in the order of the values; doubled mean ranks are integers.
  let doubled: [Int]
  /// The size of each group of equal values, including groups of one.
  let groupSizes: [Int]

  /// Ranks values, the smallest with rank 1.
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

  var hasTies: Bool { groupSizes.contains { $0 > 1 } }

  /// The sum of t^3 - t over the groups of t equal values.
  var tieTerm: Double {
    groupSizes.reduce(0) { sum, size in
      let size = Double(size)
      return sum + size * size * size - size
    }
  }
}
