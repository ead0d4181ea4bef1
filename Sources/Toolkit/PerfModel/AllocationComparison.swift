/// The changes of a program's allocations, by the functions that made them.
///
/// An allocation in a library or in the Swift runtime counts for the innermost function of the program
/// above it, as in the verdict on CPU time.
public struct AllocationComparison: Hashable, Sendable {
  /// A function with the change of its allocations.
  public struct Function: Hashable, Sendable {
    /// The allocations per launch, without those of callees.
    public let change: FunctionComparison
    /// The names of the callers in whose calls the allocations changed significantly, largest change
    /// first; empty unless the function changed significantly.
    public let callers: [String]

    /// Creates a function.
    public init(_ change: FunctionComparison, callers: [String] = []) {
      (self.change, self.callers) = (change, callers)
    }
  }

  /// The functions by the number of their allocations, largest change first.
  public let counts: [Function]
  /// The functions by the bytes that they allocated, largest change first.
  public let bytes: [Function]

  /// Creates a comparison.
  public init(counts: [Function], bytes: [Function]) {
    (self.counts, self.bytes) = (counts, bytes)
  }
}
