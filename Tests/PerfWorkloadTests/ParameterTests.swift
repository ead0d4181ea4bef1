import Testing

@testable import PerfWorkload

@Suite struct ParameterTests {
  private enum Mode: String, CaseIterable {
    case full
    case scaled
  }

  private static let books = Parameter("books", default: 1000, in: 1...10_000, "Books.")
  private static let any = Parameter("any", default: -5, "Any whole number.")
  private static let speed = Parameter("speed", default: 1.5, in: 0...10, "Speed.")
  private static let mode = Parameter("mode", default: Mode.scaled, "Mode.")
  private static let title = Parameter("title", default: "", "Any text.")
  private static let cold = Parameter("cold", default: false, "Cold.")
  private static let parameters: [any WorkloadParameter] = [books, any, speed, mode, title, cold]

  @Test func `a parameter that is not set has its default value`() throws {
    let values = try ParameterValues(of: Self.parameters)
    #expect(values[Self.books] == 1000)
    #expect(values[Self.any] == -5)
    #expect(values[Self.speed] == 1.5)
    #expect(values[Self.mode] == .scaled)
    #expect(values[Self.title] == "")
    #expect(values[Self.cold] == false)
  }

  @Test func `a value that is set replaces the default value`() throws {
    let values = try ParameterValues(
      ["books": .int(10_000), "speed": .int(2), "mode": .string("full"), "cold": .bool(true)],
      of: Self.parameters)
    #expect(values[Self.books] == 10_000)
    // A whole number is allowed where a number is.
    #expect(values[Self.speed] == 2)
    #expect(values[Self.mode] == .full)
    #expect(values[Self.cold])
  }

  @Test(
    arguments: [
      ("books", .int(0)), ("books", .int(10_001)), ("books", .double(5)), ("books", .string("5")),
      ("speed", .double(10.5)), ("speed", .double(.nan)), ("speed", .bool(true)),
      ("mode", .string("FULL")), ("mode", .int(1)), ("cold", .int(1)), ("title", .bool(false)),
    ] as [(String, ParameterValue)])
  func `a value of the wrong type or outside its limits is refused`(
    name: String, value: ParameterValue
  ) throws {
    let error = try #require(throws: WorkloadError.self) {
      try ParameterValues([name: value], of: Self.parameters)
    }
    #expect(error.description.contains("'\(name)'"))
  }

  @Test func `an unknown name is refused with a list of the known names`() throws {
    let error = try #require(throws: WorkloadError.self) {
      try ParameterValues(["boks": .int(1)], of: Self.parameters)
    }
    #expect(
      error
        == .unknownParameter(
          name: "boks", known: ["books", "any", "speed", "mode", "title", "cold"]))
    #expect(error.description.contains("books, any, speed"))
  }

  @Test func `reading an undeclared parameter ends the process with its name`() async throws {
    let result = try await #require(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let other = Parameter("other", default: 1, "A parameter that no workload lists.")
      print(ParameterValues()[other])
    }
    let text = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(text.contains("parameter 'other' is not declared"))
  }

  @Test func `reading a parameter with another type ends the process with its name`() async throws {
    let result = try await #require(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let number = Parameter("size", default: 1, "A number.")
      let text = Parameter("size", default: "", "A text.")
      print(try ParameterValues(of: [number])[text])
    }
    let text = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(text.contains("parameter 'size' is declared with another type"))
  }
}
