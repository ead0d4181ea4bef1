import Foundation
import PerfTestSupport
import Testing

@testable import LibraryStore

struct `CSV reader` {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Returns the texts of all rows, and for a malformed row its problem.
  func rows(_ bytes: some Sequence<UInt8>) throws -> [[String]] {
    let path = folder("\(UUID().uuidString).csv")
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    var reader = try CSVReader(path: path)
    var rows: [[String]] = []
    while true {
      do throws(LibraryError) {
        guard let row = try reader.next() else { return rows }
        rows.append(row.map(\.text))
      } catch {
        guard case .malformedCSV(_, let line, _, let problem) = error else { throw error }
        rows.append(["line \(line)", "\(problem)"])
      }
    }
  }

  func malformed(_ line: Int, _ problem: CSVProblem) -> [String] { ["line \(line)", "\(problem)"] }

  // MARK: - Encodings

  static let text = "Title,Author\r\n\"Ä, ß\",Łem 本 😀\r\n"
  static let fields = [["Title", "Author"], ["Ä, ß", "Łem 本 😀"]]

  func utf16(_ text: String, isLittleEndian: Bool) -> [UInt8] {
    text.utf16.flatMap { unit in
      let bytes = [UInt8(unit & 0xFF), UInt8(unit >> 8)]
      return isLittleEndian ? bytes : bytes.reversed()
    }
  }

  @Test func `UTF-8 and UTF-16 are read with and without a byte order mark`() throws {
    for prefix in ["", "\u{FEFF}"] {
      #expect(try rows((prefix + Self.text).utf8) == Self.fields)
      for isLittleEndian in [true, false] {
        let bytes = utf16(prefix + Self.text, isLittleEndian: isLittleEndian)
        #expect(try rows(bytes) == Self.fields)
      }
    }
  }

  @Test func `a UTF-16 file of several chunks is read whole`() throws {
    // A row has 14 bytes, and a chunk 65,536 bytes, so chunks end within pairs of surrogates.
    let text = String(repeating: "a,😀😀\n", count: 20_000)
    let found = try rows([0xFF, 0xFE] + utf16(text, isLittleEndian: true))
    #expect(found.count == 20_000)
    #expect(found.allSatisfy { $0 == ["a", "😀😀"] })
  }

  @Test func `an unpaired surrogate or a cut character costs its row`() throws {
    let bytes = utf16("A,B\nC,", isLittleEndian: true) + [0x00, 0xD8]
    #expect(
      try rows(bytes + utf16("D\nE,F\n", isLittleEndian: true)) == [
        ["A", "B"], malformed(2, .notUTF8), ["E", "F"],
      ])
    #expect(try rows(bytes) == [["A", "B"], malformed(2, .notUTF8)])
    #expect(try rows(bytes.dropLast()) == [["A", "B"], malformed(2, .notUTF8)])
  }

  // 0x80 is the euro sign and 0x93, 0x94 are curly quotes in Windows-1252; 0xE9 is é in Latin-1 too.
  @Test func `a file in Windows-1252 or Latin-1 is read`() throws {
    let bytes = "A,B\n".utf8 + [0x93, 0xE9, 0x94] + ",".utf8 + [0x80] + "\n".utf8
    #expect(try rows(bytes) == [["A", "B"], ["“é”", "€"]])
  }

  @Test func `a row in another encoding than the rows before is malformed`() throws {
    let latin = [0xE9] + ",B\n".utf8
    let utf8 = Array("ä,ö\n".utf8)
    #expect(
      try rows("A,B\n".utf8 + utf8 + latin + utf8) == [
        ["A", "B"], ["ä", "ö"], malformed(3, .notUTF8), ["ä", "ö"],
      ])
    #expect(
      try rows([0xEF, 0xBB, 0xBF] + "A,B\n".utf8 + latin) == [
        ["A", "B"], malformed(2, .notUTF8),
      ])
    // Windows-1252 has no character 0x81.
    #expect(try rows("A,B\n".utf8 + [0x81] + ",B\n".utf8) == [["A", "B"], malformed(2, .notUTF8)])
  }

  // MARK: - Separators and lines

  @Test(arguments: [",", ";", "\t"])
  func `the most frequent separator of the header counts`(separator: String) throws {
    let header = "A,B;C\tD".replacingOccurrences(of: separator, with: "\(separator)x\(separator)")
    #expect(try rows(header.utf8).first?.count == 3)
  }

  @Test func `a separator in quotes does not count, and Excel's first line names another`() throws {
    #expect(try rows("\"A;;;;\",B\nC,D\n".utf8) == [["A;;;;", "B"], ["C", "D"]])
    #expect(try rows("sep=;\r\nA,1;B\r\n".utf8) == [["A,1", "B"]])
  }

  @Test func `line ends may differ within a file, and rows without text are skipped`() throws {
    let text = "A,B\r\nC,D\n\nE,F\r\r\n,\n , \n\"\",\"\"\r\nG,H\r\r\nI,\"J\r\nK\rL\"\n,"
    #expect(
      try rows(text.utf8) == [
        ["A", "B"], ["C", "D"], ["E", "F"], ["G", "H"], ["I", "J\nK\nL"],
      ])
  }

  // MARK: - Quotes

  @Test(arguments: [
    ("The 7\" Book,A\n", ["The 7\" Book", "A"]), ("7\",A\n", ["7\"", "A"]),
    ("5'10\" and \"more\",A\n", ["5'10\" and \"more\"", "A"]),
    ("\"The \"Best\" Book\",A\n", ["The \"Best\" Book", "A"]),
    ("\"A\"\"B\"\"\",=\"0123\"\n", ["A\"B\"", "0123"]),
    ("\"=\"\"0123\"\"\",A\n", ["=\"0123\"", "A"]),
  ])
  func `a stray quote within a line is text`(text: String, fields: [String]) throws {
    #expect(try rows(("X,Y\n" + text + "Z,Z\n").utf8) == [["X", "Y"], fields, ["Z", "Z"]])
  }

  @Test func `after a quote that is not closed the next line is read`() throws {
    // The quote of the second row would end at the quote of the fourth one.
    #expect(
      try rows("A,B\n1,\"open\n2,x\n\"3\",y\n4,z\n".utf8) == [
        ["A", "B"], malformed(2, .unclosedQuote), ["2", "x"], ["3", "y"], ["4", "z"],
      ])
    #expect(
      try rows("A,B\n1,\"open\n2,x\n3,y\n".utf8) == [
        ["A", "B"], malformed(2, .unclosedQuote), ["2", "x"], ["3", "y"],
      ])
  }

  @Test func `quotes between tabs that do not fit are text`() throws {
    #expect(
      try rows("A\tB\n\"Repent\" Said the Man\tC\n\"open\tD\n\"E\"\tF\n".utf8) == [
        ["A", "B"], ["\"Repent\" Said the Man", "C"], ["\"open", "D"], ["E", "F"],
      ])
  }

  // MARK: - Long rows

  @Test func `a row of three megabytes costs itself, with line breaks and without`() throws {
    let filler = String(repeating: "word, and\n", count: 300_000)
    let flat = filler.replacingOccurrences(of: "\n", with: " ")
    for review in ["\"\(filler)\"", "\"\(flat)\"", flat.replacingOccurrences(of: ",", with: "")] {
      let found = try rows("A,B,C,D\n1,x,y,\(review)\n2,x,y,z\n".utf8)
      #expect(
        found == [
          ["A", "B", "C", "D"], malformed(2, .rowTooLong(limit: CSVReader.rowLimit)),
          ["2", "x", "y", "z"],
        ])
    }
  }

  @Test func `a quote that is not closed before megabytes of rows costs one row`() throws {
    let count = 200_000
    let text = "A,B,C\n1,\"open,x\n" + String(repeating: "2,Title,x\n", count: count)
    let found = try rows(text.utf8)
    #expect(found.count == count + 2)
    #expect(found[1] == malformed(2, .rowTooLong(limit: CSVReader.rowLimit)))
  }
}
