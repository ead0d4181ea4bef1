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
}
