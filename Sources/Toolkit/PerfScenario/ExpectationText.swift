internal import PerfModel

/// Reads `FORMULA <=|>=|==|<|> FORMULA`, whose metrics name their variants: `frame.rate(naive)`.
struct ExpectationText {
  let expectation: ScenarioExpectation
  /// The readings with the offsets of their texts, in characters.
  let readings: [(reading: ScenarioExpectation.Reading, offset: Int)]

  /// Reads an expectation without checking its metrics.
  ///
  /// - Throws: `FormulaText.Failure` with the offset of the problem.
  init(_ text: String, variants: [String]) throws(FormulaText.Failure) {
    guard let sign = Self.relation(in: text) else {
      throw FormulaText.Failure(
        problem: .badExpectation(text, reason: "has no '<=', '>=', '==', '<' or '>'"), offset: 0)
    }
    let start = text.distance(from: text.startIndex, to: sign.range.upperBound)
    let left = try Self.side(
      text[..<sign.range.lowerBound], at: 0, of: text, variants)
    let right = try Self.side(
      text[sign.range.upperBound...], at: start, of: text, variants)
    readings = left.readings + right.readings
    guard !readings.isEmpty else {
      throw FormulaText.Failure(
        problem: .badExpectation(text, reason: "names no metric of a variant"), offset: 0)
    }
    expectation = ScenarioExpectation(
      text.trimmingSpaces, left: left.formula, sign.relation, right: right.formula,
      readings: readings.map(\.reading))
  }

  private static func relation(
    in text: String
  ) -> (relation: ScenarioExpectation.Relation, range: Range<String.Index>)? {
    // At one place, the longest sign counts: `<=` also begins with `<`.
    ScenarioExpectation.Relation.allCases
      .compactMap { sign in text.firstRange(of: sign.rawValue).map { (sign, $0) } }
      .min { ($0.1.lowerBound, $1.1.upperBound) < ($1.1.lowerBound, $0.1.upperBound) }
  }

  private static func side(
    _ text: Substring, at offset: Int, of statement: String, _ variants: [String]
  ) throws(FormulaText.Failure) -> (
    formula: Formula, readings: [(reading: ScenarioExpectation.Reading, offset: Int)]
  ) {
    var reader = FormulaText(String(text), of: statement, variants: variants)
    do {
      return (try reader.formula(), reader.readings.map { ($0.reading, $0.offset + offset) })
    } catch {
      throw FormulaText.Failure(problem: error.problem, offset: error.offset + offset)
    }
  }
}

extension ScenarioFile {
  /// The place of an expectation in the file.
  struct ExpectationPlace {
    let expectation: ScenarioExpectation
    let location: SourceLocation
  }

  static func expectations(
    _ reader: MappingReader, variants: [String]
  ) throws(ScenarioError) -> ([ExpectationPlace], [MetricReference]) {
    var places: [ExpectationPlace] = []
    var metrics: [MetricReference] = []
    let items = try reader["expects"]?.list("expects", of: "texts like 'wall(a) < wall(b)'") ?? []
    for item in items {
      item.faults.collect {
        let text = try item.string("expects")
        let parsed: ExpectationText
        do throws(FormulaText.Failure) {
          parsed = try ExpectationText(text, variants: variants)
        } catch {
          throw ScenarioError.content(item.location(ofCharacter: error.offset), error.problem)
        }
        places.append(ExpectationPlace(expectation: parsed.expectation, location: item.location))
        metrics += parsed.readings.map { reading, offset in
          let location = item.location(ofCharacter: offset)
          return MetricReference(
            name: reading.metric, location: location, unit: nil, unitLocation: location,
            isGating: false)
        }
      }
    }
    return (places, metrics)
  }

  /// The sections that name variants.
  struct Contrast {
    var defaultVariant = ""
    var expectations: [ExpectationPlace] = []
    var calibration: CalibrationText?
    var metrics: [MetricReference] = []
  }

  /// Reads the sections that name variants, unless the variants have faults.
  static func contrast(_ reader: MappingReader, variants: [String]?) -> Contrast {
    var contrast = Contrast()
    guard let variants else { return contrast }
    let faults = reader.node.faults
    contrast.defaultVariant = faults.collect(else: "") {
      try defaultVariant(reader, among: variants)
    }
    (contrast.expectations, contrast.metrics) = faults.collect(else: ([], [])) {
      try expectations(reader, variants: variants)
    }
    let keys = ["parameter", "variant", "metric", "target", "range"]
    contrast.calibration = faults.collect(else: nil) {
      try reader.mapping("calibrate", known: keys).flatMap {
        CalibrationText($0, variants: variants)
      }
    }
    contrast.metrics += [contrast.calibration?.metric].compactMap(\.self)
    return contrast
  }

  /// Checks that both sides of each expectation have one dimension, and keeps the faults.
  func checkExpectations(in catalog: MetricCatalog, _ faults: Faults) {
    for place in expectations {
      let expectation = place.expectation
      let dimensions = Dictionary(
        expectation.readings.map { ($0.description, catalog[$0.metric]?.dimension) }
      ) { first, _ in first }
      // Only the dimensions matter; values that differ avoid divisions by zero.
      func dimension(of formula: Formula) throws(FormulaError) -> Dimension? {
        try formula.value { name in
          dimensions[name].map { Formula.Value(Double(name.count), $0) }
        }.dimension
      }
      do throws(FormulaError) {
        let left = try dimension(of: expectation.left)
        let right = try dimension(of: expectation.right)
        if left != right { throw .mismatch(left, nil, right) }
      } catch .notFinite {
        continue
      } catch {
        faults.add(
          .content(
            place.location,
            .badExpectation(expectation.description, reason: "has no meaning: \(error)")))
      }
    }
  }
}
