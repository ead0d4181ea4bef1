internal import PerfWorkload

/// Runs functions with known shares of the time; the function `sort` can be slowed.
final class Functions: Workload {
  static let name = "bench.functions"
  static let summary = "Runs twelve functions with known shares; `sort`, with 5 %, can be slowed."
  static let slices = Parameter(
    "slices", default: 240, in: 1...1_000_000, "Calls of all functions, about 0.25 ms each.")
  static let slower = Parameter(
    "slower", default: 0, in: 0...1000, "Percentage by which sort is slower.")
  static let parameters: [any WorkloadParameter] = [slices, slower]

  private let slices: Int
  private var shelf: Shelf

  init(_ context: PreparationContext) throws {
    slices = context[Self.slices]
    shelf = Shelf(slower: context[Self.slower])
  }

  func measure(_ context: MeasurementContext) throws {
    for _ in 0..<slices { shelf.turn() }
  }
}

/// Twelve functions whose numbers of equal steps are their shares of the time.
private struct Shelf {
  /// The number of steps per percent of a turn; a turn takes about 0.25 ms.
  private static let percent = 3_000

  private let sortSteps: Int
  private var state: UInt64 = 88_172_645_463_325_252

  init(slower: Int) {
    sortSteps = 5 * Self.percent * (100 + slower) / 100
  }

  mutating func turn() {
    decode(26 * Self.percent)
    layOut(19 * Self.percent)
    blend(13 * Self.percent)
    parse(10 * Self.percent)
    hash(8 * Self.percent)
    sort(sortSteps)
    convert(5 * Self.percent)
    quantise(4 * Self.percent)
    trim(4 * Self.percent)
    compare(3 * Self.percent)
    insert(2 * Self.percent)
    evict(1 * Self.percent)
  }

  // Different constants keep the compiler from merging the functions.

  @inline(never) private mutating func decode(_ steps: Int) { repeatStep(steps, 3) }
  @inline(never) private mutating func layOut(_ steps: Int) { repeatStep(steps, 5) }
  @inline(never) private mutating func blend(_ steps: Int) { repeatStep(steps, 7) }
  @inline(never) private mutating func parse(_ steps: Int) { repeatStep(steps, 11) }
  @inline(never) private mutating func hash(_ steps: Int) { repeatStep(steps, 13) }
  @inline(never) private mutating func sort(_ steps: Int) { repeatStep(steps, 17) }
  @inline(never) private mutating func convert(_ steps: Int) { repeatStep(steps, 19) }
  @inline(never) private mutating func quantise(_ steps: Int) { repeatStep(steps, 23) }
  @inline(never) private mutating func trim(_ steps: Int) { repeatStep(steps, 29) }
  @inline(never) private mutating func compare(_ steps: Int) { repeatStep(steps, 31) }
  @inline(never) private mutating func insert(_ steps: Int) { repeatStep(steps, 37) }
  @inline(never) private mutating func evict(_ steps: Int) { repeatStep(steps, 41) }

  /// Repeats a step; it is inlined, so that profiles charge the time to its caller.
  @_transparent
  private mutating func repeatStep(_ steps: Int, _ factor: UInt64) {
    var left = steps
    while left > 0 {
      state = state &* factor ^ state &>> 29
      left &-= 1
    }
  }
}
