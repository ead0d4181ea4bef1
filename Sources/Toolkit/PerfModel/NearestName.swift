/// Finds the known name that is closest to a mistyped name.
public enum NearestName {
  /// Returns the candidate with the smallest edit distance, or nil if none is near.
  ///
  /// A near candidate differs by at most a third of the longer name's characters, or by one edit.
  /// The first of several equally near candidates is returned. If none is near, it is the first of
  /// which the name is a dotted part, as `cpu` of `cpu.total`.
  public static func nearest(to name: String, among candidates: some Sequence<String>) -> String? {
    var best: (distance: Int, name: String)?
    for candidate in candidates {
      let distance = editDistance(Array(name.lowercased()), Array(candidate.lowercased()))
      let limit = max(1, max(name.count, candidate.count) / 3)
      if distance <= limit, distance < best?.distance ?? .max { best = (distance, candidate) }
    }
    return best?.name ?? whole(name, in: candidates).first
  }

  /// Returns `; did you mean 'x'?`, or an empty text if no name is near.
  ///
  /// If the name is a part of several candidates, the first three are named.
  public static func hint(for name: String, among candidates: some Sequence<String>) -> String {
    guard let nearest = nearest(to: name, among: candidates) else { return "" }
    let parts = whole(name, in: candidates)
    let named = (parts.contains(nearest) ? Array(parts.prefix(3)) : [nearest]).map { "'\($0)'" }
    let last = named[named.count - 1]
    let list = named.count > 1 ? named.dropLast().joined(separator: ", ") + " or " + last : last
    return "; did you mean \(list)?"
  }

  /// Returns the hint for an unknown name, or a full stop if no name is similar; it ends the sentence of an error.
  public static func ending(for name: String, among candidates: some Sequence<String>) -> String {
    let hint = hint(for: name, among: candidates)
    return hint.isEmpty ? "." : hint
  }

  /// Returns the candidates that begin with a name and a dot, then those with the name as a part.
  private static func whole(_ name: String, in candidates: some Sequence<String>) -> [String] {
    let name = name.lowercased()
    let parts = candidates.map { ($0, $0.lowercased().split(separator: ".").map(String.init)) }
      .filter { $0.1.count > 1 }
    return parts.filter { $0.1.first == name }.map { $0.0 }
      + parts.filter { $0.1.first != name && $0.1.contains(name) }.map { $0.0 }
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
