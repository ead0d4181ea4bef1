import Testing

@testable import PerfReport

/// The names of the pages of decisions.
struct DecisionPageTests {
  @Test(
    arguments: [
      ("0001-work-kept.md", 1), ("0012-notes.md", 12), ("123456-work-reverted.md", 123_456),
      ("12-work-kept.md", nil), ("1234567-work-kept.md", nil), ("0001-work-kept.html", nil),
      ("0001.md", nil), ("README.md", nil),
    ] as [(String, Int?)])
  func `the number of a decision page is the beginning of its file name`(
    name: String, number: Int?
  ) {
    #expect(DecisionPage.number(ofFile: name) == number)
  }
}
