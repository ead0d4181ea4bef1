import PerfModel
import Testing

struct RunBasisTests {
  private static func basis(
    _ parameters: Parameters = ["books": .int(100)], conditions: String? = "rate=1000",
    program: String? = "00ff"
  ) -> RunBasis {
    RunBasis(parameters: parameters, conditions: conditions, program: program)
  }

  @Test func `an equal basis has no changes`() {
    #expect(Self.basis().changes(since: Self.basis()) == [])
  }

  @Test func `changed, added and removed parameters are named with their values`() {
    let now = Self.basis(["books": .int(200), "fling": .double(0.5)])
    let earlier = Self.basis(["books": .int(100), "cache": .string("lru")])
    #expect(
      now.changes(since: earlier) == [
        "books changed from 100 to 200", "the parameter cache (lru) was removed",
        "the parameter fling (0.5) was added",
      ])
  }

  @Test func `other conditions and other programs are changes`() {
    #expect(
      Self.basis(conditions: "rate=0").changes(since: Self.basis())
        == ["the conditions changed from 'rate=1000' to 'rate=0'"])
    #expect(
      Self.basis().changes(since: Self.basis(conditions: nil))
        == ["the conditions changed from unknown ones to 'rate=1000'"])
    #expect(Self.basis(program: "1234").changes(since: Self.basis()) == ["the program changed"])
  }

  @Test func `a program that cannot be read counts as changed`() {
    let unread = Self.basis(program: nil)
    #expect(unread.changes(since: unread) == ["the program changed"])
  }
}
