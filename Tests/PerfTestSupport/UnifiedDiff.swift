/// The differences of two texts in the format of `diff -u`.
enum UnifiedDiff {
  /// The number of equal lines around a difference.
  private static let context = 2

  /// Returns the differing lines with their context, at most 200 lines.
  static func text(from old: String, to new: String) -> String {
    let before = old.split(separator: "\n", omittingEmptySubsequences: false)
    let after = new.split(separator: "\n", omittingEmptySubsequences: false)
    var removed: Set<Int> = []
    var inserted: Set<Int> = []
    for change in after.difference(from: before) {
      switch change {
      case .remove(let offset, _, _): removed.insert(offset)
      case .insert(let offset, _, _): inserted.insert(offset)
      }
    }
    var lines: [(text: String, isChange: Bool)] = []
    var (i, j) = (0, 0)
    while i < before.count || j < after.count {
      if removed.contains(i) {
        lines.append(("-\(before[i])", true))
        i += 1
      } else if inserted.contains(j) {
        lines.append(("+\(after[j])", true))
        j += 1
      } else {
        lines.append((" \(before[i])", false))
        i += 1
        j += 1
      }
    }
    return shown(lines)
  }

  private static func shown(_ lines: [(text: String, isChange: Bool)]) -> String {
    var result: [String] = []
    var wasShown = true
    for (index, line) in lines.enumerated() {
      let around = max(0, index - context)...min(lines.count - 1, index + context)
      let isShown = lines[around].contains { $0.isChange }
      if isShown {
        if !wasShown { result.append("@@ line \(index + 1)") }
        result.append(String(line.text.prefix(300)))
      }
      wasShown = isShown
    }
    return result.prefix(200).joined(separator: "\n")
  }
}
