extension Palette {
  /// Returns the visible difference from another palette: 0 for equal ones, 1 for black instead of
  /// white.
  ///
  /// It is the mean over the five roles of the distance in OKLab. Roles are compared one by one, so
  /// exchanging primary and secondary makes a different palette. CSS takes 0.02 as the least
  /// visible difference.
  ///
  /// Source: CSS Color Module Level 4, 13.2 ("deltaEOK", "JND").
  public func distance(to other: Palette) -> Double {
    let distances = zip(roles, other.roles).map { OKLab($0).distance(to: OKLab($1)) }
    return distances.reduce(0, +) / Double(distances.count)
  }
}
