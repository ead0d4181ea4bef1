import PerfModel
import Testing

struct SourceHunksTests {
  /// Lines 3 to 4 of `a.swift` replace line 3, line 9 is new, and `old.c` lost its lines 5 and 6.
  private let diff = """
    diff --git a/Sources/a.swift b/Sources/a.swift
    index 1..2 100644
    --- a/Sources/a.swift
    +++ b/Sources/a.swift
    @@ -3 +3,2 @@ struct A {
    --- a/not/a/header
    +++ b/not/a/header
    +line
    @@ -7,0 +9 @@
    +line
    \\ No newline at end of file
    diff --git a/old.c b/old.c
    --- a/old.c
    +++ /dev/null
    @@ -5,2 +0,0 @@
    -one
    -two
    """

  /// A profile of functions that are sampled at these lines of a file.
  private func profile(_ file: String, _ lines: [String: [Int]]) -> Profile {
    let names = lines.keys.sorted()
    return Profile(
      functions: names.map { Profile.Function(name: $0, key: $0, module: "m", file: file) },
      nodes: names.enumerated().flatMap { index, name in
        (lines[name] ?? []).map {
          Profile.Node(parent: -1, function: index, line: $0, isInlined: false)
        }
      },
      threads: [], phases: [""], counts: [], timeline: [:], audit: ProfileAudit())
  }

  @Test
  func `a diff gives the changed lines of both sides`() {
    let hunks = SourceHunks(diff: diff)
    #expect(hunks.base == ["Sources/a.swift": [3...3, 7...8], "old.c": [5...6]])
    #expect(hunks.candidate == ["Sources/a.swift": [3...4, 9...9]])
    #expect(hunks.count == 5)
    #expect(SourceHunks(diff: "").count == 0)
  }

  @Test
  func `a line break with a carriage return ends a line of a diff`() {
    let text = "--- a/x.c\n+++ b/x.c\n@@ -1 +1 @@\n-a\r\n+b\r\n@@ -8 +8 @@\n-a\r\n+b\r\n"
    #expect(SourceHunks(diff: text).base == ["x.c": [1...1, 8...8]])
  }

  @Test
  func `a hunk touches the functions whose sampled lines surround it`() {
    let hunks = SourceHunks(diff: diff)
    let sampled = profile(
      "/builds/1/tree/Sources/a.swift", ["first": [2, 6], "second": [8, 9], "third": [12]])
    let elsewhere = profile("/builds/1/tree/Sources/b.swift", ["other": [1, 9]])
    #expect(hunks.functions(in: sampled, elsewhere) == ["first", "second"])
    #expect(hunks.functions(in: elsewhere, elsewhere) == [])
  }

  @Test
  func `a hunk between sampled lines touches the nearest functions within twenty lines`() {
    let hunks = SourceHunks(diff: "--- a/a.c\n+++ b/a.c\n@@ -40 +40 @@\n-a\n+b")
    let near = profile("/t/a.c", ["far": [10], "before": [20], "after": [60, 70], "next": [80]])
    let far = profile("/t/a.c", ["before": [19], "after": [61]])
    #expect(hunks.functions(in: near, far) == ["before", "after"])
    #expect(hunks.functions(in: far, far) == [])
  }

  @Test
  func `a path means the shortest file with this ending`() {
    let hunks = SourceHunks(diff: "--- a/main.c\n+++ b/main.c\n@@ -1 +1 @@\n-a\n+b")
    let root = profile("/t/main.c", ["root": [1]])
    let both = Profile(
      functions: root.functions
        + [Profile.Function(name: "deep", key: "deep", module: "m", file: "/t/src/main.c")],
      nodes: [0, 1].map { Profile.Node(parent: -1, function: $0, line: 1, isInlined: false) },
      threads: [], phases: [""], counts: [], timeline: [:], audit: ProfileAudit())
    #expect(hunks.functions(in: both, both) == ["root"])
  }
}
