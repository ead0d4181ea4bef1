package import PerfModel

/// Reads numbers with units, and explains invalid ones.
package enum QuantityText {
  /// Returns the quantity of a text.
  ///
  /// - Parameters:
  ///   - text: A text such as `150 MB`.
  ///   - owner: The measured thing, for messages.
  ///   - dimension: The required dimension; nil for any.
  ///   - example: A valid text, for messages.
  /// - Returns: A finite quantity.
  /// - Throws: `noNumber`, `noUnit`, `unknownUnit` or `wrongUnit`.
  package static func parse(
    _ text: String, of owner: String, _ dimension: Dimension?, example: String
  ) throws(ContentProblem) -> Quantity {
    guard let quantity = Quantity.parse(text) else {
      let symbol = text.trimmingSpaces.drop { $0.isNumber || "+-._".contains($0) }
      guard let first = text.trimmingSpaces.first, first.isNumber || "+-.".contains(first),
        text.contains(where: \.isNumber)
      else { throw .noNumber(text, example: example) }
      if symbol.isEmpty { throw .noUnit(text, example: example) }
      throw .unknownUnit(String(symbol).trimmingSpaces, text: text)
    }
    if let dimension, quantity.unit.dimension != dimension {
      throw .wrongUnit(
        quantity.unit.symbol, of: owner, expected: Unit.symbols(of: dimension))
    }
    return quantity
  }
}

extension ContentProblem: Error {}
