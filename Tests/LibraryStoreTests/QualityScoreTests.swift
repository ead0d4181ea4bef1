import LibraryStore
import Testing

struct `Quality score` {
  @Test func `an edition without data scores 0`() {
    #expect(EditionDetails(format: .other).qualityScore == 0)
  }

  @Test(arguments: [
    (BookFormat.hardcover, 3), (.paperback, 2), (.ebook, 1), (.audiobook, 0), (.other, 0),
  ])
  func `the score includes the format`(format: BookFormat, score: Int) {
    #expect(EditionDetails(format: format).qualityScore == score)
  }

  @Test(arguments: [
    ("2000", 0), ("2001", 1), ("2024-05-01", 24), ("1999", 0), ("", 0), ("May 2024", 0),
    ("-500", 0),
  ])
  func `the score includes each year since 2000`(date: String, score: Int) {
    #expect(EditionDetails(format: .other, publicationDate: date).qualityScore == score)
  }

  @Test(arguments: [(nil, 0), ("", 0), ("cover.jpg", 10)])
  func `the score includes a cover that is not empty`(cover: String?, score: Int) {
    #expect(EditionDetails(format: .other, cover: cover).qualityScore == score)
  }

  @Test(arguments: [(nil, 0), (80, 0), (81, 5)])
  func `the score includes a data quality above 80`(quality: Int?, score: Int) {
    #expect(EditionDetails(format: .other, dataQuality: quality).qualityScore == score)
  }

  @Test func `the score is the sum of its parts`() {
    let details = EditionDetails(
      format: .hardcover, publicationDate: "2023", cover: "a.jpg", dataQuality: 95)
    #expect(details.qualityScore == 10 + 3 + 23 + 5)
  }
}
