/// The search for the first bad one in a row of which the last is known to be bad.
struct BisectSearch {
  /// What was found of one.
  enum Finding {
    case good
    case bad
    /// It cannot be built or decided.
    case unknown
  }

  /// All before are good.
  private var low = 0
  /// This one is bad.
  private var high: Int
  private var unknown: Set<Int> = []

  /// Creates a search over so many, at least one, of which the last is bad.
  init(count: Int) {
    high = count - 1
  }

  /// The one to look at next: in the middle, or nearest to it of those that can be told; nil when
  /// nothing is left to look at.
  var next: Int? {
    let middle = (low + high) / 2
    return (low..<high).filter { !unknown.contains($0) }
      .min { (abs($0 - middle), $0) < (abs($1 - middle), $1) }
  }

  /// Which may be the first bad one; one alone when everything could be told.
  var candidates: [Int] { Array(low...high) }

  /// Takes what was found of one.
  mutating func set(_ finding: Finding, at index: Int) {
    switch finding {
    case .good: low = index + 1
    case .bad: high = index
    case .unknown: unknown.insert(index)
    }
  }
}
