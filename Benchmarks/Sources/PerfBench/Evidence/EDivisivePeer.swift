internal import Foundation

/// The E-divisive implementations of other Python packages, run with their defaults if installed.
enum EDivisivePeer: String, CaseIterable {
  /// Apache Otava (formerly Hunter): splits within windows of 50 by Student's t at 0.01, and keeps
  /// the splits that the same test confirms at 0.001 (Fleming and others 2023,
  /// doi:10.1145/3578244.3583719).
  case otava = "apache-otava"
  /// MongoDB's package: splits by 100 permutations at 0.05 (Daly and others 2020,
  /// doi:10.1145/3358960.3375791).
  case mongo = "signal-processing-algorithms"

  private var package: PythonPackage {
    let module =
      switch self {
      case .otava: "from otava.analysis import compute_change_points"
      case .mongo:
        "from signal_processing_algorithms.energy_statistics.energy_statistics import e_divisive"
      }
    return PythonPackage(name: rawValue, imports: "import json, sys\nimport numpy\n\(module)")
  }

  /// The Python expression for the indices of the first values after the changes in `values`.
  private var expression: String {
    switch self {
    case .otava: "[point.index for point in compute_change_points(values)[0]]"
    case .mongo: "e_divisive(values)"
    }
  }

  /// The installed version, or nil.
  var version: String? { package.version }

  /// Returns the indices of the first values after the changes in each series, in no order.
  func points(in series: [[Double]], seed: UInt64) throws -> [[Int]] {
    // The packages may print warnings before the result, so only the last line is read.
    let program = """
      numpy.random.seed(int(sys.argv[2]) % 2**32)
      found = [\(expression) for values in json.load(open(sys.argv[1]))]
      print(json.dumps([[int(index) for index in points] for points in found]))
      """
    let lines = try package.lines(of: program, on: series, "\(seed)")
    let found = try JSONDecoder().decode([[Int]].self, from: Data((lines.last ?? "").utf8))
    guard found.count == series.count else {
      throw BenchError(
        description: "\(rawValue) returned results for \(found.count) of \(series.count) series")
    }
    return found
  }
}
