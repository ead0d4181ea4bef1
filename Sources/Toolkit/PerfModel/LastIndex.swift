/// Returns the last index for which a condition holds that holds for all indices before it; nil if it
/// holds for none.
///
/// - Complexity: O(log *n*).
package func lastIndex(of indices: Range<Int>, where holds: (Int) -> Bool) -> Int? {
  var (low, high) = (indices.lowerBound, indices.upperBound)
  while low < high {
    let middle = low + (high - low) / 2
    if holds(middle) { low = middle + 1 } else { high = middle }
  }
  return low > indices.lowerBound ? low - 1 : nil
}
