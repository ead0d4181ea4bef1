import PerfModel
import Testing

struct EscapingTests {
  @Test(arguments: [
    ("", ""), ("plain", "plain"), ("a;b;", "a:b:"), ("\r\n", "%0D%0A"), ("é;ü", "é:ü"),
    ("\u{600};", "\u{600}:"), (";\u{301}", ":\u{301}"),
    ("\u{1F468}\u{200D};", "\u{1F468}\u{200D}:"),
  ])
  func `escaping finds ASCII scalars beside combining characters`(text: String, escaped: String) {
    let found = text.escaping([";": ":", "\r": "%0D", "\n": "%0A"])
    #expect(found.utf8.elementsEqual(escaped.utf8))
  }

  @Test(arguments: [
    ("", ""), ("std::sort ::x", "std::sort ::x"), (":x::", ":x::"),
    ("::error::x", "| ::error::x"), (" ::error::x", " | ::error::x"),
    ("    ::error::x", "  | ::error::x"), ("\u{2003}::x", "\u{2003}| ::x"),
    // Characters without an appearance: a zero-width space and a word joiner.
    ("\u{200B}:\u{2060}:x", "\u{200B}| :\u{2060}:x"), ("a ##[error]x", "a ## [error]x"),
  ])
  func `a line is no command for GitHub`(line: String, shown: String) {
    let found = line.withoutCommands
    #expect(found.utf8.elementsEqual(shown.utf8))
  }
}
