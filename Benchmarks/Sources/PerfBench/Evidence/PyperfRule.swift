internal import PerfModel

/// pyperf's comparison, run in Python if it is installed: Student's t-test at 0.05 of samples of one
/// size (`_utils.is_significant`), which `compare_to` reports without a least change.
enum PyperfRule {
  private static let package = PythonPackage(
    name: "pyperf",
    imports: """
      import json, sys
      import pyperf
      from pyperf._compare import CompareResult, CompareData
      """)

  /// Reads pairs of samples and prints `slower`, `faster` or `same` for each, one per line.
  private static let program = """
    def bench(values):
        runs = [pyperf.Run([value], metadata={'name': 'wall'}, collect_metadata=False)
                for value in values]
        return pyperf.Benchmark(runs)
    for base, candidate in json.load(open(sys.argv[1])):
        one, other = bench(base), bench(candidate)
        result = CompareResult(CompareData('base', one), CompareData('candidate', other))
        verdict = 'same'
        if result.significant:
            verdict = 'slower' if other.mean() > one.mean() else 'faster'
        print(verdict)
    """

  /// The installed version, or nil.
  static let version: String? = {
    let version = package.version
    if version == nil { print("  pyperf is not installed for python3, so its rule is omitted") }
    return version
  }()

  /// Returns pyperf's verdicts on comparisons.
  static func verdicts(
    _ comparisons: [LaunchPairValues]
  ) throws -> [ComparisonVerdict] {
    let samples = comparisons.map { [$0.base, $0.candidate] }
    return try package.lines(of: program, on: samples).map { line in
      line == "slower" ? .regressed : line == "faster" ? .improved : .equivalent
    }
  }
}
