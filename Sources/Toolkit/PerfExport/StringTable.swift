/// The table of texts to which all other tables of a file refer by index.
struct StringTable {
  private(set) var all: [String] = []
  private var indices: [String: Int] = [:]

  mutating func index<Index: BinaryInteger>(of text: String) -> Index {
    let index = indices[text] ?? all.count
    if index == all.count {
      indices[text] = index
      all.append(text)
    }
    return Index(index)
  }
}
