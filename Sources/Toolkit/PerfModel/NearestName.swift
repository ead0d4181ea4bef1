/// Finds the known name that is closest to a mistyped name.
public enum NearestName {
  /// Returns the candidate with the smallest edit distance, or nil if none is near.
  ///
  /// A near candidate differs by at most a third of the longer name's characters, or by one edit.
  /// The first of several equally near candidates is returned.
  public static func nearest(to name: String, among candidates: some Sequence<String>) -> String? {
    var best: (distance: Int, name: String)?
    for candidate in candidates {
      let distance = editDistance(Array(name.lowercased()), Array(candidate.lowercased()))
      let limit = max(1, max(name.count, candidate.count) / 3)
      if distance <= limit, distance < best?.distance ?? .max { best = (distance, candidate) }
    }
    return best?.name
  }

  /// Returns `; did you mean 'x'?`, or an empty text if no name is near.
  public static func hint(for name: String, among candidates: some Sequence<String>) -> String {
    nearest(to: name, among: candidates).map { "; did you mean '\($0)'?" } ?? ""
  }

  /// Levenshtein distance with adjacent transpositions counted as one edit (optimal alignment).
  static func editDistance(_ first: [Character], _ second: [Character]) -> Int {
    var rows = [Array(0...second.count)]
    for (i, character) in first.enumerated() {
      var row = [i + 1]
      for (j, other) in second.enumerated() {
        let substituted = rows[i][j] + (character == other ? 0 : 1)
        var cost = min(substituted, rows[i][j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, character == second[j - 1], first[i - 1] == other {
          cost = min(cost, rows[i - 1][j - 1] + 1)
        }
        row.append(cost)
      }
      rows.append(row)
    }
    return rows[first.count][second.count]
  }
}
