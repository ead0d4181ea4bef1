import Testing

@testable import PerfModel

struct NearestNameTests {
  // kitten/sitting is the textbook example of Levenshtein distance; ab/ba is one transposition.
  @Test(arguments: [
    ("kitten", "sitting", 3), ("", "", 0), ("", "abc", 3), ("abc", "", 3), ("abc", "abc", 0),
    ("ab", "ba", 1), ("abcd", "acbd", 1), ("flaw", "lawn", 2), ("ca", "abc", 3),
  ])
  func `the edit distance counts insertions, deletions, substitutions and transpositions`(
    first: String, second: String, distance: Int
  ) {
    #expect(NearestName.editDistance(Array(first), Array(second)) == distance)
    #expect(NearestName.editDistance(Array(second), Array(first)) == distance)
  }

  private let metrics = ["frame.hitch_count", "frame.hitch_max", "rss.peak", "rss.mean", "wall"]

  @Test(arguments: [
    ("rss.peek", "rss.peak"), ("RSS.PEAK", "rss.peak"), ("frame.hitch_cuont", "frame.hitch_count"),
    ("wal", "wall"), ("frame.hitchmax", "frame.hitch_max"),
  ])
  func `a mistyped name finds the intended name`(text: String, name: String) {
    #expect(NearestName.nearest(to: text, among: metrics) == name)
  }

  @Test(arguments: ["", "cpu.total", "frames", "x"])
  func `a name that is far from all candidates finds nothing`(text: String) {
    #expect(NearestName.nearest(to: text, among: metrics) == nil)
    #expect(NearestName.hint(for: text, among: metrics) == "")
  }

  @Test func `the first of equally near names is returned`() {
    #expect(NearestName.nearest(to: "bat", among: ["cat", "hat"]) == "cat")
    #expect(NearestName.nearest(to: "bat", among: ["hat", "cat"]) == "hat")
    #expect(NearestName.nearest(to: "bat", among: []) == nil)
  }

  @Test func `a hint with a near name is a question`() {
    #expect(NearestName.hint(for: "wal", among: metrics) == "; did you mean 'wall'?")
  }

  @Test func `a part of dotted names means the names that begin with it, then the others`() {
    let names = ["wall", "cpu.total", "cpu.user", "cpu.system", "frame.cpu.p50", "psi.cpu"]
    #expect(NearestName.nearest(to: "cpu", among: names) == "cpu.total")
    #expect(
      NearestName.hint(for: "cpu", among: names)
        == "; did you mean 'cpu.total', 'cpu.user' or 'cpu.system'?")
    #expect(
      NearestName.hint(for: "PSI", among: names) == "; did you mean 'psi.cpu'?")
    // A near name is better than a part.
    #expect(NearestName.hint(for: "wal", among: names) == "; did you mean 'wall'?")
    #expect(NearestName.hint(for: "cp", among: names) == "")
  }
}
