internal import PerfModel

/// Reads `[STAT(]METRIC[)] <=|>=|== NUMBER [UNIT]`; a number without a unit is a count.
struct BudgetText {
  /// An invalid budget, with the offset of the problem.
  struct Failure: Error {
    let problem: ContentProblem
    let offset: Int
  }

  let budget: Budget
  /// The limit as written if it has no unit, which only counts may lack; nil otherwise.
  let bareLimit: String?
  /// The offset of the metric's name in characters.
  let metricOffset: Int
  /// The offset of the number in characters.
  let limitOffset: Int

  /// A valid limit, for messages.
  static let exampleOfLimit = "150 MB"

  /// Reads a budget without checking its metric and unit.
  init(_ text: String) throws(Failure) {
    guard let sign = Self.comparison(in: text) else {
      throw Failure(
        problem: .badBudget(text, reason: "has no '<=', '>=' or '=='"), offset: 0)
    }
    let subject = text[..<sign.range.lowerBound]
    let limit = text[sign.range.upperBound...]
    let trimmedLimit = String(limit).trimmingSpaces
    let limitOffset = text.count - limit.drop { $0 == " " || $0 == "\t" }.count
    let (statistic, metric) = try Self.subject(subject, of: text)
    let quantity: Quantity
    do {
      quantity = try QuantityText.parse(trimmedLimit, of: metric, nil, example: Self.exampleOfLimit)
      bareLimit = nil
    } catch {
      guard case .noUnit = error, let count = Quantity.parse("\(trimmedLimit) count") else {
        throw Failure(problem: error, offset: limitOffset)
      }
      quantity = count
      bareLimit = trimmedLimit
    }
    self.limitOffset = limitOffset
    metricOffset =
      subject.firstRange(of: metric).map { text.distance(from: text.startIndex, to: $0.lowerBound) }
      ?? 0
    budget = Budget(
      metric: metric, statistic: statistic, comparison: sign.comparison, limit: quantity)
  }

  private static func comparison(
    in text: String
  ) -> (comparison: Budget.Comparison, range: Range<String.Index>)? {
    [Budget.Comparison.atMost, .atLeast, .equal]
      .compactMap { sign in text.firstRange(of: sign.rawValue).map { (sign, $0) } }
      .min { $0.1.lowerBound < $1.1.lowerBound }
  }

  private static func subject(
    _ subject: Substring, of text: String
  ) throws(Failure) -> (Budget.Statistic, metric: String) {
    let name = String(subject).trimmingSpaces
    func failure(_ reason: String) -> Failure {
      Failure(problem: .badBudget(text, reason: reason), offset: 0)
    }
    guard let open = name.firstIndex(of: "(") else {
      guard !name.contains(")") else { throw failure("has ')' without '('") }
      guard !name.isEmpty else { throw failure("names no metric") }
      return (.percentile(50), name)
    }
    guard name.last == ")", name.count(where: { "()".contains($0) }) == 2 else {
      throw failure("has '(' without one ')' after the metric")
    }
    let word = String(name[..<open]).trimmingSpaces
    let metric = String(name[name.index(after: open)...].dropLast()).trimmingSpaces
    guard !metric.isEmpty else { throw failure("names no metric") }
    guard let statistic = statistic(named: word) else {
      throw Failure(problem: .unknownStatistic(word), offset: 0)
    }
    return (statistic, metric)
  }

  private static func statistic(named word: String) -> Budget.Statistic? {
    if let statistic = ["min": Budget.Statistic.min, "mean": .mean, "max": .max][word] {
      return statistic
    }
    guard word.first == "p", let percent = YAMLNode.double(String(word.dropFirst())),
      0...100 ~= percent
    else { return nil }
    return .percentile(percent)
  }
}
