/// A field of a CSV row with its position.
struct CSVField: Hashable, Sendable {
  let text: String
  let line: Int
  let column: Int
}
