import Foundation
import Testing

@testable import PerfProtocol

struct ParameterValueTests {
  @Test(
    arguments: [
      (.int(3), "3"), (.double(2), "2"), (.double(0.25), "0.25"), (.double(-1.5), "-1.5"),
      (.double(1e20), "1e+20"), (.string("a b"), "a b"), (.bool(true), "true"),
    ] as [(ParameterValue, String)])
  func `a value is described as scenario files write it`(value: ParameterValue, text: String) {
    #expect(value.description == text)
  }

  @Test(
    arguments: [.int(3), .double(0.5), .string("3"), .bool(false)] as [ParameterValue])
  func `a value keeps its type as bare JSON`(value: ParameterValue) throws {
    let data = try JSONEncoder().encode([value])
    #expect(try JSONDecoder().decode([ParameterValue].self, from: data) == [value])
  }

  @Test func `pressure levels are ordered by severity`() {
    #expect(PressureLevel.allCases == [.normal, .warning, .urgent, .critical])
    #expect(PressureLevel.allCases.sorted() == PressureLevel.allCases)
  }
}
