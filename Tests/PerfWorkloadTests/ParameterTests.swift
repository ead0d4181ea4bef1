import Testing

@testable import PerfWorkload

@Suite struct ParameterTests {
  private enum Mode: String, CaseIterable {
    case full
    case scaled
  }

  private enum Other: String, CaseIterable {
    case other
  }

  private let declarations: [ParameterDeclaration] = [
    .int("books", default: 1000, in: 1...10_000, "Books."),
    .int("any", default: -5, "Any whole number."),
    .double("speed", default: 1.5, in: 0...10, "Speed."),
    .choice("mode", default: Mode.scaled, "Mode."),
    .string("title", default: "", "Any text."),
    .bool("cold", default: false, "Cold."),
  ]

  @Test func `what is not given has its default`() throws {
    let values = try ParameterValues(of: declarations)
    #expect(try values.int("books") == 1000)
    #expect(try values.int("any") == -5)
    #expect(try values.double("speed") == 1.5)
    #expect(try values.choice("mode", as: Mode.self) == .scaled)
    #expect(try values.string("title") == "")
    #expect(try values.bool("cold") == false)
  }

  @Test func `what is given counts`() throws {
    let values = try ParameterValues(
      ["books": .int(10_000), "speed": .int(2), "mode": .string("full"), "cold": .bool(true)],
      of: declarations)
    #expect(try values.int("books") == 10_000)
    // A whole number is a number, too.
    #expect(try values.double("speed") == 2)
    #expect(try values.choice("mode") == Mode.full)
    #expect(try values.bool("cold"))
  }

  @Test(
    arguments: [
      ("books", .int(0)), ("books", .int(10_001)), ("books", .double(5)), ("books", .string("5")),
      ("speed", .double(10.5)), ("speed", .double(.nan)), ("speed", .bool(true)),
      ("mode", .string("FULL")), ("mode", .int(1)), ("cold", .int(1)), ("title", .bool(false)),
    ] as [(String, ParameterValue)])
  func `a value of the wrong type or outside of its limits is refused`(
    name: String, value: ParameterValue
  ) throws {
    let error = try #require(throws: WorkloadError.self) {
      try ParameterValues([name: value], of: declarations)
    }
    #expect(error.description.contains("'\(name)'"))
  }

  @Test func `an unknown name is refused and the known ones are listed`() throws {
    let error = try #require(throws: WorkloadError.self) {
      try ParameterValues(["boks": .int(1)], of: declarations)
    }
    #expect(error == .unknownParameter(name: "boks", known: declarations.map(\.name)))
    #expect(error.description.contains("books, any, speed"))
  }

  @Test func `reading a parameter as what it is not throws`() throws {
    let values = try ParameterValues(of: declarations)
    #expect(throws: WorkloadError.self) { try values.int("speed") }
    #expect(throws: WorkloadError.self) { try values.double("books") }
    #expect(throws: WorkloadError.self) { try values.string("cold") }
    #expect(throws: WorkloadError.self) { try values.bool("title") }
    #expect(throws: WorkloadError.self) { try values.int("nothing") }
    #expect(throws: WorkloadError.self) { try values.choice("mode", as: Other.self) }
  }
}
