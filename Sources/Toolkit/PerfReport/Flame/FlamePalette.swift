internal import PerfModel

/// CSS colours of flame graphs; `flame.js` computes the same ones.
enum FlamePalette {
  /// Returns hue in degrees, saturation and lightness in percent of a kind of module.
  private static func base(_ kind: ModuleKind) -> (hue: Int, saturation: Int, lightness: Int) {
    switch kind {
    case .program: (28, 82, 66)
    case .swift: (200, 45, 70)
    case .library: (155, 38, 66)
    case .system: (45, 22, 74)
    case .unknown: (0, 0, 78)
    case .kernel: (285, 30, 76)
    }
  }

  static func colour(_ kind: ModuleKind, shade: Int = 0) -> String {
    let (hue, saturation, lightness) = base(kind)
    return "hsl(\(hue) \(saturation)% \(lightness + shade)%)"
  }

  /// Returns the colour of a change in the weight per launch: red for growth and blue for shrinking,
  /// more saturated for larger shares; grey for noise.
  static func difference(base: Double, candidate: Double, isReal: Bool) -> String {
    guard isReal, base + candidate > 0 else { return "hsl(210 6% 80%)" }
    let change = (candidate - base) / (candidate + base)
    let lightness = Int((90 - 34 * abs(change)).rounded())
    let saturation = Int((12 + 63 * abs(change)).rounded())
    return "hsl(\(change > 0 ? 8 : 212) \(saturation)% \(lightness)%)"
  }

  static let changes = [
    ("grew", difference(base: 0, candidate: 1, isReal: true)),
    ("shrank", difference(base: 1, candidate: 0, isReal: true)),
    ("may be noise", difference(base: 1, candidate: 1, isReal: false)),
  ]

  /// Returns a number in -4...4 that depends only on the name (an FNV-1a hash), so that the lightness
  /// of neighbours differs.
  static func shade(_ name: String) -> Int {
    let hash = name.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
    return Int(hash % 9) - 4
  }
}
