public import PerfModel

/// Numbers and names as text, equal in all renderers.
public enum Wording {
  static let nothing = "-"

  /// Returns a value in a readable unit, or `-`.
  static func value(_ value: Double?, _ dimension: Dimension, digits: Int = 4) -> String {
    value.map { NumberFormat.human($0, dimension, digits: digits) } ?? nothing
  }

  /// Returns the measured value of a budget and its interval.
  ///
  /// Both have enough digits to differ from the limit, so that a broken budget does not look held.
  public static func measured(_ result: BudgetResult) -> (value: String, interval: String) {
    let dimension = result.budget.limit.unit.dimension
    let (low, high) = (result.interval?.lowerBound, result.interval?.upperBound)
    let digits = digits(
      telling: [result.value, low, high].compactMap(\.self), from: result.budget.limit.baseValue,
      in: unit(low, high, around: result.value, dimension))
    return (
      value(result.value, dimension, digits: digits),
      interval(low, high, around: result.value, dimension, digits: digits)
    )
  }

  /// Returns four, or as many significant digits as distinguish numbers from a limit.
  ///
  /// Differences beyond the eleventh digit are rounding errors of a sum.
  private static func digits(
    telling values: [Double], from limit: Double, in unit: Unit
  ) -> Int {
    let others = values.filter { abs($0 - limit) > abs(limit) * 1e-11 }
    func text(_ value: Double, _ digits: Int) -> String {
      NumberFormat.significant(value / unit.factor, digits: digits)
    }
    return (4...12).first { digits in
      !others.contains { text($0, digits) == text(limit, digits) }
    } ?? 12
  }

  /// Returns an interval in the unit of its value, such as `[7.9, 8.4]`; a missing limit is `open`.
  static func interval(
    _ low: Double?, _ high: Double?, around value: Double?, _ dimension: Dimension,
    digits: Int = 4
  ) -> String {
    guard low != nil || high != nil else { return nothing }
    let unit = unit(low, high, around: value, dimension)
    // Zero needs no unit, and a value has it.
    let hasUnit = (value ?? 0) == 0 && [low, high].contains { ($0 ?? 0) != 0 }
    return ends(low, high, unit, digits: digits) + (hasUnit ? suffix(of: unit) : "")
  }

  /// Returns a readable unit for the value, or for the interval if the value is zero.
  private static func unit(
    _ low: Double?, _ high: Double?, around value: Double?, _ dimension: Dimension
  ) -> Unit {
    let shown = [value, high, low].compactMap { $0 }.first { $0 != 0 } ?? 0
    return NumberFormat.readableUnit(for: shown, dimension)
  }

  private static func ends(
    _ low: Double?, _ high: Double?, _ unit: Unit, digits: Int = 4
  ) -> String {
    let end = { (limit: Double) in NumberFormat.significant(limit / unit.factor, digits: digits) }
    return "[\(low.map(end) ?? "open"), \(high.map(end) ?? "open")]"
  }

  private static func suffix(of unit: Unit) -> String {
    switch unit.dimension {
    case .count: ""
    case .ratio: " %"
    default: " \(unit.symbol)"
    }
  }

  /// Returns a change in a metric's scale, such as `-61.2%` or `-809.2 ms/s`; changes of shares are
  /// in percentage points.
  static func change(
    _ estimate: Double?, of definition: MetricDefinition, digits: Int = 3
  ) -> String {
    guard let estimate else { return nothing }
    switch definition.scale {
    case .ratio: return NumberFormat.percentChange(estimate, digits: digits)
    case .difference where definition.dimension == .ratio:
      return (estimate > 0 ? "+" : "") + NumberFormat.significant(estimate * 100) + " pp"
    case .difference: return NumberFormat.humanChange(estimate, definition.dimension)
    }
  }

  /// Returns the estimated change of a metric, in its scale.
  public static func change(_ metric: MetricComparison) -> String {
    change(metric.estimate, of: metric.definition)
  }

  /// Returns the interval of a change with its unit, such as `[-126.8, 556] ms`.
  ///
  /// The unit is included because an insignificant change is displayed as `~` without one.
  static func changeInterval(
    _ low: Double?, _ high: Double?, around estimate: Double?, of definition: MetricDefinition
  ) -> String {
    guard low != nil || high != nil else { return nothing }
    switch definition.scale {
    case .ratio:
      let end = { (limit: Double?) in limit.map { NumberFormat.percentChange($0) } ?? "open" }
      return "[\(end(low)), \(end(high))]"
    case .difference:
      let unit = unit(low, high, around: estimate, definition.dimension)
      return ends(low, high, unit) + (unit.dimension == .ratio ? " pp" : suffix(of: unit))
    }
  }

  static func changeInterval(_ metric: MetricComparison) -> String {
    changeInterval(metric.low, metric.high, around: metric.estimate, of: metric.definition)
  }

  /// Returns a probability with two significant digits, `<0.0001` below that.
  static func probability(_ p: Double?) -> String {
    guard let p else { return nothing }
    return p < 0.0001 ? "<0.0001" : NumberFormat.significant(p, digits: 2)
  }

  /// Returns a share of a whole with one decimal, such as `31.0%`.
  static func share(_ part: Double, of whole: Double) -> String {
    whole > 0 ? NumberFormat.fixed(part / whole * 100, decimals: 1) + "%" : nothing
  }

  /// Returns a sum of weights of running threads, such as `3 s of sampled CPU time` or `42 samples`.
  static func sampled(_ weight: Double, _ measure: Profile.Measure) -> String {
    let amount = NumberFormat.human(weight, measure.dimension)
    if measure.dimension == .count { return "\(amount) \(measure.name)" }
    return measure.name == Profile.Measure.cpuTime.name
      ? "\(amount) of sampled CPU time" : "\(amount) of \(measure.name)"
  }

  /// Returns a number with a noun, such as `1 launch` or `10 launches`; the default plural has an s.
  public static func count(_ number: Int, _ singular: String, _ plural: String? = nil) -> String {
    "\(NumberFormat.grouped(number)) \(number == 1 ? singular : plural ?? singular + "s")"
  }

  /// Returns names as an enumeration, such as `a, b and c`; empty without names.
  public static func list(_ names: [String]) -> String {
    guard let last = names.last, names.count > 1 else { return names.first ?? "" }
    return names.dropLast().joined(separator: ", ") + " and " + last
  }

  /// Returns the first three names as an enumeration, with the number of the others.
  static func list(firstOf names: [String]) -> String {
    list(names.prefix(3) + (names.count > 3 ? ["\(names.count - 3) more"] : []))
  }

  /// Returns words as a sentence, with a capital letter and a full stop.
  public static func sentence(_ words: String) -> String { words.capitalizedFirst + "." }

  /// Returns words as a shell command, quoted where needed.
  public static func command(_ words: [String]) -> String {
    words.map { word in
      let isPlain = word.wholeMatch(of: /[A-Za-z0-9\-_.\/:=,%+@~]+/) != nil
      return isPlain ? word : "'" + word.escaping(["'": "'\\''"]) + "'"
    }
    .joined(separator: " ")
  }

  static func commit(_ commit: String?) -> String? {
    commit.map { String($0.prefix(10)) }
  }
}
