import PerfModel
import Testing

@testable import PerfClaims

struct FormulaTests {
  private func value(_ number: Double, _ dimension: Dimension? = nil) -> Formula {
    .number(.init(number, dimension))
  }

  @Test func `sums and differences keep the dimension of both operands`() throws {
    let sum = Formula.operation(.plus, value(2, .time), value(3, .time))
    #expect(try sum.value() == Formula.Value(5, .time))
    let difference = Formula.operation(.minus, value(2, .size), value(3, .size))
    #expect(try difference.value() == Formula.Value(-1, .size))
  }

  @Test func `products keep the dimension of a factor and quotients of equals lose it`() throws {
    #expect(
      try Formula.operation(.times, value(2), value(3, .time)).value() == Formula.Value(6, .time))
    #expect(
      try Formula.operation(.times, value(2, .time), value(3)).value() == Formula.Value(6, .time))
    #expect(
      try Formula.operation(.over, value(6, .time), value(3, .time)).value() == Formula.Value(2))
    #expect(
      try Formula.operation(.over, value(6, .time), value(3)).value() == Formula.Value(2, .time))
  }

  @Test func `counts and shares are plain numbers`() throws {
    let share = Formula.operation(.over, value(6, .count), value(3, .ratio))
    #expect(try share.value() == Formula.Value(2))
  }

  @Test(arguments: [
    (Formula.Operation.plus, "time + size is undefined"),
    (.minus, "time - size is undefined"), (.times, "time * size is undefined"),
    (.over, "time / size is undefined"),
  ])
  func `operations on different dimensions are undefined`(
    operation: Formula.Operation, message: String
  ) {
    let error = #expect(throws: FormulaError.self) {
      try Formula.operation(operation, value(1, .time), value(1, .size)).value()
    }
    #expect(error?.description == message)
  }

  @Test func `a plain number cannot be added to a time or divided by one`() {
    #expect(throws: FormulaError.mismatch(nil, .plus, .time)) {
      try Formula.operation(.plus, value(1), value(1, .time)).value()
    }
    #expect(throws: FormulaError.mismatch(nil, .over, .time)) {
      try Formula.operation(.over, value(1), value(1, .time)).value()
    }
  }

  @Test func `min and max select from values of one dimension`() throws {
    let values = [value(3, .time), value(1, .time), value(2, .time)]
    #expect(try Formula.function(.min, values).value() == Formula.Value(1, .time))
    #expect(try Formula.function(.max, values).value() == Formula.Value(3, .time))
    #expect(throws: FormulaError.mismatch(.time, nil, nil)) {
      try Formula.function(.min, [value(1, .time), value(1)]).value()
    }
  }

  @Test func `a division by zero has no value`() {
    #expect(throws: FormulaError.notFinite) {
      try Formula.operation(.over, value(1), value(0)).value()
    }
  }

  @Test func `metrics are looked up by name and listed without duplicates`() throws {
    let formula = Formula.operation(
      .over, .metric("a"), .operation(.plus, .metric("a"), .metric("b")))
    #expect(formula.metrics == ["a", "b"])
    #expect(try formula.value { Formula.Value($0 == "a" ? 1 : 3) } == Formula.Value(0.25))
    #expect(throws: FormulaError.noMetric("b")) {
      try formula.value { $0 == "a" ? Formula.Value(1) : nil }
    }
  }
}
