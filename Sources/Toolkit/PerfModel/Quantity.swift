/// A number with its unit, as written by people.
public struct Quantity: Hashable, Sendable, CustomStringConvertible {
  /// The value in the base unit of the unit's dimension.
  public let baseValue: Double
  /// The unit for display.
  public let unit: Unit

  /// Creates a quantity of a value in base units.
  public init(baseValue: Double, unit: Unit) {
    self.baseValue = baseValue
    self.unit = unit
  }

  /// Creates a quantity of a value in the unit itself.
  public init(_ value: Double, _ unit: Unit) {
    self.init(baseValue: value * unit.factor, unit: unit)
  }

  /// The number in the quantity's unit.
  public var value: Double { baseValue / unit.factor }

  /// The number and the unit, such as `150 MB`.
  public var description: String {
    let number = NumberFormat.significant(value, digits: 6)
    return unit == .percent ? "\(number)%" : "\(number) \(unit.symbol)"
  }

  /// Reads `150 MB`, `5 ms/s`, `2%` or `60s`.
  ///
  /// - Returns: The quantity; nil if the text is no number followed by a known unit, or the number
  ///   of base units is too large.
  public static func parse(_ text: String) -> Quantity? {
    let trimmed = text.trimmingSpaces
    let digits = trimmed.prefix { $0.isNumber || "+-._eE".contains($0) }
    // "5e" of "5 eggs" must not be read as an exponent.
    var number = Substring(digits)
    while let last = number.last, !last.isNumber { number = number.dropLast() }
    guard let value = Double(number.filter { $0 != "_" }), value.isFinite else { return nil }
    let symbol = String(trimmed.dropFirst(number.count)).trimmingSpaces
    guard let unit = Unit.named(symbol) else { return nil }
    let quantity = Quantity(value, unit)
    return quantity.baseValue.isFinite ? quantity : nil
  }
}

extension String {
  /// The text without spaces and tabs at its ends.
  package var trimmingSpaces: String {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    var view = self[...]
    while let first = view.first, isBlank(first) { view = view.dropFirst() }
    while let last = view.last, isBlank(last) { view = view.dropLast() }
    return String(view)
  }
}
