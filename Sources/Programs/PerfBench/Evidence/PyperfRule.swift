internal import Foundation
internal import PerfModel

/// pyperf's own comparison, run in Python where it is installed.
enum PyperfRule {
  /// Reads pairs of samples and prints `slower`, `faster` or `same` for each, in a line of its own.
  private static let program = """
    import json, sys
    import pyperf
    from pyperf._compare import CompareResult, CompareData
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

  /// The version that is installed, or nil.
  static func version() -> String? {
    let output = try? run(["-c", "import pyperf; print(pyperf.__version__)"])
    return output?.first
  }

  /// Returns pyperf's verdicts on some comparisons.
  static func verdicts(
    _ comparisons: [LaunchPairValues]
  ) throws -> [ComparisonVerdict] {
    let folder = FileManager.default.temporaryDirectory
    let input = folder.appendingPathComponent("perfkit-pyperf-\(getpid()).json")
    defer { try? FileManager.default.removeItem(at: input) }
    let samples = comparisons.map { [$0.base, $0.candidate] }
    try JSONEncoder().encode(samples).write(to: input)
    return try run(["-c", program, input.path]).map { line in
      line == "slower" ? .regressed : line == "faster" ? .improved : .equivalent
    }
  }

  private static func run(_ arguments: [String]) throws -> [String] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3"] + arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { return [] }
    return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
