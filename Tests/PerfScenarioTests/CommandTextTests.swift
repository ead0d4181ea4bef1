import PerfScenario
import Testing

/// Commands as texts, split as sh(1) does.
struct CommandTextTests {
  @Test(arguments: [
    ("python3 bench.py", ["python3", "bench.py"]),
    ("  a\tb  ", ["a", "b"]),
    (#"sh -c 'a | b' "two words" c\ d"#, ["sh", "-c", "a | b", "two words", "c d"]),
    (#"a "" 'x'"y"z"#, ["a", "", "xyz"]),
    (#"a "say \"hi\" \n" '\n' \'"#, ["a", #"say "hi" \n"#, #"\n"#, "'"]),
    (#"grep '|' \> file"#, ["grep", "|", ">", "file"]),
  ])
  func `a command is split into its words`(text: String, words: [String]) throws {
    #expect(try CommandText.words(text) == words)
  }

  @Test(arguments: [
    ("", CommandText.Problem.empty), ("  ", .empty), ("''", .empty),
    ("a 'b", .openQuote("a 'b")), (#"a "b"#, .openQuote(#"a "b"#)), (#"a \"#, .openQuote(#"a \"#)),
    ("a | b", .shell("|")), ("a > b", .shell(">")), ("a && b", .shell("&&")),
  ])
  func `a text that is no command is refused`(text: String, problem: CommandText.Problem) {
    #expect(throws: problem) { try CommandText.words(text) }
  }
}
