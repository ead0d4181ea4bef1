import Testing

@testable import PerfExport

struct JSONWriterTests {
  private func text(_ body: (inout JSONWriter) -> Void) -> String {
    var json = JSONWriter()
    body(&json)
    return String(decoding: json.bytes, as: UTF8.self)
  }

  @Test func `members and elements are separated by commas, at every depth`() {
    let text = text { json in
      json.object { json in
        json.member("a", 1)
        json.member("b") { $0.member("c", true) }
        json.member("d", arrayOf: [1, 2]) { json, _ in json.array { $0.null() } }
        json.member("e", arrayOf: [] as [Int]) { $0.int($1) }
      }
    }
    #expect(text == #"{"a":1,"b":{"c":true},"d":[[null],[null]],"e":[]}"#)
  }

  @Test func `quotes, backslashes and control characters are escaped`() {
    #expect(text { $0.string("a\"b\\c\n\u{1F}é") } == #""a\"b\\c\u000a\u001fé""#)
  }

  @Test(arguments: [(2.5, "2.5"), (3, "3"), (-0.25, "-0.25"), (.nan, "null"), (.infinity, "null")])
  func `numbers that are not finite become null`(value: Double, expected: String) {
    #expect(text { $0.number(value) } == expected)
  }

  @Test(
    arguments: [
      (0, "0"), (1, "0.000001"), (1_000_000, "1"), (1_500_000, "1.5"),
      (12_345_678_901, "12345.678901"),
      (.max, "18446744073709.551615"),
    ] as [(UInt64, String)])
  func `nanoseconds are written as milliseconds with every digit`(value: UInt64, expected: String) {
    #expect(text { $0.fixed(value, digits: 6) } == expected)
  }
}
