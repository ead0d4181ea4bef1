extension Palette {
  /// Returns how different another palette looks: 0 for the same, 1 for black in place of white.
  ///
  /// The mean over the five roles of the distance in OKLab, role by role: a user who sees primary and
  /// secondary exchanged sees another palette. CSS takes 0.02 for the least difference that is seen.
  ///
  /// Source: CSS Color Module Level 4, 13.2 ("deltaEOK", "JND").
  public func distance(to other: Palette) -> Double {
    let distances = zip(roles, other.roles).map { OKLab($0).distance(to: OKLab($1)) }
    return distances.reduce(0, +) / Double(distances.count)
  }
}
