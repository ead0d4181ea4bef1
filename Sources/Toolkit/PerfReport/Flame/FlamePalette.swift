internal import PerfModel

/// Colours of flame graphs as CSS text; the page's script computes the same ones.
enum FlamePalette {
  /// Hue, saturation and lightness of each kind of module, in degrees and percent.
  private static func base(_ kind: ModuleKind) -> (hue: Int, saturation: Int, lightness: Int) {
    switch kind {
    case .program: (28, 82, 66)
    case .swift: (200, 45, 70)
    case .library: (155, 38, 66)
    case .system: (45, 22, 74)
    case .unknown: (0, 0, 78)
    }
  }

  /// Returns the colour of a function; the lightness varies with the name, so that neighbours are
  /// told apart.
  static func colour(_ function: Profile.Function) -> String {
    colour(ModuleKind(module: function.module), shade: shade(function.name))
  }

  /// Returns the colour of a kind of modules in legends.
  static func colour(_ kind: ModuleKind, shade: Int = 0) -> String {
    let (hue, saturation, lightness) = base(kind)
    return "hsl(\(hue) \(saturation)% \(lightness + shade)%)"
  }

  /// Returns the colour of a change.
  ///
  /// - Parameters:
  ///   - base: Nanoseconds a launch before.
  ///   - candidate: Nanoseconds a launch now.
  ///   - isReal: Whether the change is more than noise.
  /// - Returns: Red for growth, blue for shrinking, the stronger the larger the share; grey for noise.
  static func difference(base: Double, candidate: Double, isReal: Bool) -> String {
    guard isReal, base + candidate > 0 else { return "hsl(210 6% 80%)" }
    let change = (candidate - base) / (candidate + base)
    let lightness = Int((90 - 34 * abs(change)).rounded())
    let saturation = Int((12 + 63 * abs(change)).rounded())
    return "hsl(\(change > 0 ? 8 : 212) \(saturation)% \(lightness)%)"
  }

  /// A number from -4 to 4 that depends on the name alone (FNV-1a).
  static func shade(_ name: String) -> Int {
    let hash = name.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
    return Int(hash % 9) - 4
  }
}
