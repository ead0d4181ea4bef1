/// A binary search for the first bad commit in a row whose last commit is bad.
struct BisectSearch {
  /// The state of a commit.
  enum CommitState {
    case good
    case bad
    /// The commit cannot be built, measured or decided.
    case unknown
  }

  /// The first index that may be bad: all commits before it are good.
  private var low = 0
  /// The last index that may be the first bad commit: it is bad.
  private var high: Int
  private var unknown: Set<Int> = []

  /// Creates a search.
  ///
  /// - Parameter count: The number of commits, at least one; the last commit is bad.
  init(count: Int) {
    high = count - 1
  }

  /// The commit to test next, nearest to the middle; nil if no commit is left to test.
  var next: Int? {
    let middle = (low + high) / 2
    return (low..<high).filter { !unknown.contains($0) }
      .min { (abs($0 - middle), $0) < (abs($1 - middle), $1) }
  }

  /// The commits that may be the first bad one; a single commit if no commit was unknown.
  var candidates: [Int] { Array(low...high) }

  mutating func set(_ state: CommitState, at index: Int) {
    switch state {
    case .good: low = index + 1
    case .bad: high = index
    case .unknown: unknown.insert(index)
    }
  }

  /// Tests commits until none is left to test.
  ///
  /// - Parameters:
  ///   - goesOn: Returns whether another commit may be tested; called before each.
  ///   - test: Returns the state of a commit.
  mutating func run(
    while goesOn: () -> Bool, test: (_ index: Int) throws -> CommitState
  ) rethrows {
    while let index = next, goesOn() { set(try test(index), at: index) }
  }
}
