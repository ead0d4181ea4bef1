import LibraryStore
import Testing

@testable import BookWorkloads

struct BookGeneratorTests {
  let generator = BookGenerator(seed: 7)

  func books(_ count: Int) -> [NewBook] {
    (0..<count).map { generator.book($0, cover: BookGenerator.coverName(of: $0)) }
  }

  // The first outputs of S. Vigna's splitmix64.c from the state 1234567.
  @Test func `random numbers equal those of splitmix64.c`() {
    var random = SplitMix64(state: 1_234_567)
    let numbers = (0..<3).map { _ in random.next() }
    #expect(
      numbers == [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423])
  }

  // 60,000 throws, 10,000 expected each; four standard deviations are 4 x sqrt(60,000 x 5/36) = 365.
  @Test func `bounded numbers are uniformly distributed`() {
    var random = SplitMix64(seed: 1, stream: 1)
    var counts = Array(repeating: 0, count: 6)
    for _ in 0..<60_000 { counts[random.below(6)] += 1 }
    for count in counts { #expect(abs(count - 10_000) < 365) }
  }

  @Test func `equal seeds yield equal books and different seeds different books`() {
    let again = BookGenerator(seed: 7)
    let other = BookGenerator(seed: 8)
    for index in [0, 1, 500, 9_999] {
      let book = generator.book(index, cover: "c.jpg")
      #expect(again.book(index, cover: "c.jpg") == book)
      #expect(other.book(index, cover: "c.jpg") != book)
    }
  }

  @Test func `every edition has a unique ISBN`() {
    let numbers = books(2_000).flatMap { $0.editions.map(\.isbn) }
    #expect(!numbers.contains(nil))
    #expect(Set(numbers).count == numbers.count)
  }

  // 80, 15 and 5 of 100; four standard deviations of 10,000 are 160, 143 and 87.
  @Test func `80, 15 and 5 percent of the books have high, medium and low confidence`() {
    let counts = Dictionary(grouping: books(10_000)) { RecognitionConfidence(of: $0.confidence) }
      .mapValues(\.count)
    #expect(abs((counts[.high] ?? 0) - 8_000) < 160)
    #expect(abs((counts[.medium] ?? 0) - 1_500) < 143)
    #expect(abs((counts[.low] ?? 0) - 500) < 87)
  }

  @Test func `most books have few editions, some have many and none has more than fifty`() {
    let counts = books(5_000).map(\.editions.count).sorted()
    #expect(counts.first == 1)
    #expect(counts[2_500] == 1)
    #expect(counts[3_750] <= 3)
    #expect((26...50).contains(counts[4_999]))
  }

  @Test func `the displayed edition has the cover`() {
    for (index, book) in books(500).enumerated() {
      let best = book.editions.max { $0.qualityScore < $1.qualityScore }
      #expect(best?.cover == BookGenerator.coverName(of: index))
    }
  }

  @Test func `cover names sort like their numbers`() {
    #expect(BookGenerator.coverName(of: 7) == "00007.jpg")
    #expect(BookGenerator.coverName(of: 12_345) == "12345.jpg")
  }
}
