import LibraryStore
import Testing

struct `ISBN-13` {
  // The example of the ISBN Users' Manual: 9x1 + 7x3 + 8x1 + 0 + 3x1 + 0 + 6x1 + 4x3 + 0 + 6x3 + 1
  // + 5x3 = 93, so the check digit is 7.
  @Test func `the manual's example has the check digit 7`() {
    #expect(ISBN13(firstTwelve: 978_030_640_615)?.description == "9780306406157")
  }

  @Test(arguments: ["9780306406157", "978-0-306-40615-7", "978 0 306 40615 7"])
  func `an ISBN may contain hyphens and spaces`(text: String) {
    #expect(ISBN13(text)?.number == 9_780_306_406_157)
  }

  // 978000000002 has the sum 9 + 21 + 8 + 6 = 44, so the check digit is 6.
  @Test func `the check digit of a small number is derived`() {
    #expect(ISBN13(firstTwelve: 978_000_000_002)?.number == 9_780_000_000_026)
  }

  @Test(arguments: [
    "", "978030640615", "97803064061570", "9780306406158", "9770306406157", "978030640615X",
  ])
  func `another length, prefix or check digit is rejected`(text: String) {
    #expect(ISBN13(text) == nil)
  }

  // 0306406152: 0x10 + 3x9 + 0x8 + 6x7 + 4x6 + 0x5 + 6x4 + 1x3 + 5x2 + 2x1 = 132 = 12 x 11, the older
  // number of the manual's example. 080442957X: 80 x ... = 0 + 72 + 0 + 28 + 24 + 10 + 36 + 15 + 14
  // + 10 = 209 = 19 x 11; 978080442957 has the weighted sum 9 + 21 + 8 + 0 + 8 + 0 + 4 + 12 + 2 + 27
  // + 5 + 21 = 117, so the check digit is 3.
  @Test(arguments: [
    ("0306406152", "9780306406157"), ("0-306-40615-2", "9780306406157"),
    ("080442957X", "9780804429573"), ("0 8044 2957 x", "9780804429573"),
  ])
  func `an ISBN of ten digits is converted`(text: String, isbn: String) {
    #expect(ISBN13(isbn10: text)?.description == isbn)
  }

  @Test(arguments: [
    "", "030640615", "0306406153", "X306406152", "03064X6152", "03064061520", "0804429571",
    "9780306406157",
  ])
  func `a wrong ISBN of ten digits is rejected`(text: String) {
    #expect(ISBN13(isbn10: text) == nil)
  }

  // Every wrong digit changes the weighted sum by 1...9 or 3...27 but never by a multiple of 10,
  // because 3 and 10 have no common factor.
  @Test func `every single wrong digit is detected`() {
    let digits = Array("9780306406157")
    for position in digits.indices {
      for digit in "0123456789" where digit != digits[position] {
        var changed = digits
        changed[position] = digit
        #expect(ISBN13(String(changed)) == nil)
      }
    }
  }
}
