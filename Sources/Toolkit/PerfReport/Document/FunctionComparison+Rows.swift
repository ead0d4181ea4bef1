internal import PerfModel
internal import PerfStatistics

extension [FunctionComparison] {
  /// Returns the totals without the callers that contain nearly all of the change, except for the
  /// innermost one.
  ///
  /// - Parameter functions: All compared functions.
  /// - Returns: The other totals.
  func telling(of functions: [FunctionComparison]) -> [FunctionComparison] {
    let largest = map { abs($0.difference) }.max() ?? 0
    let deepest = FunctionComparer.explanation(of: functions).first
    return filter { abs($0.difference) < 0.95 * largest || $0 == deepest }
  }

  /// Returns the rows of a table of CPU times: significant changes, touched functions and large changes come first.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of rows, without those of the named functions.
  ///   - keys: The functions that have a row in any case, because the verdict names them.
  ///   - hasSource: Whether the rows have a cell that marks touched functions.
  /// - Returns: The rows.
  func rows(
    limit: Int = 12, with keys: Set<String> = [], hasSource: Bool = true
  ) -> [[Table.Cell]] {
    let sorted = sorted {
      ($0.isSignificant ? 0 : 1, $0.isTouched ? 0 : 1, abs($1.difference), $0.key)
        < ($1.isSignificant ? 0 : 1, $1.isTouched ? 0 : 1, abs($0.difference), $1.key)
    }
    return (sorted.prefix(limit) + sorted.dropFirst(limit).filter { keys.contains($0.key) })
      .map { $0.row(.time, hasSource: hasSource) }
  }
}

extension FunctionComparison {
  /// Returns the row of a table.
  ///
  /// - Parameters:
  ///   - dimension: The dimension of the values.
  ///   - hasSource: Whether the row has a cell that marks touched functions.
  ///   - callers: The callers, in a cell after the function's; nil for no such cell.
  /// - Returns: The cells.
  func row(
    _ dimension: Dimension, hasSource: Bool = true, callers: [String]? = nil
  ) -> [Table.Cell] {
    let tone: Tone = isSignificant ? .plain : .muted
    let source: [Table.Cell] = hasSource ? [.init(isTouched ? "changed" : "", tone)] : []
    let called: [Table.Cell] = callers.map { [.init(Wording.list(firstOf: $0), tone)] } ?? []
    return [
      .init(NumberFormat.human(base, dimension), tone),
      .init(NumberFormat.human(candidate, dimension), tone),
      .init(
        (isSignificant ? "" : "~ ") + NumberFormat.humanChange(difference, dimension),
        isSignificant ? (difference > 0 ? .bad : .good) : .muted),
    ] + source + [.init(name, tone)] + called + [
      .init(Wording.interval(low, high, around: difference, dimension), .muted),
      .init(Wording.probability(q), .muted),
    ]
  }
}
