internal import Foundation

/// E-divisive as other packages have it, run in Python where they are installed, by their defaults.
enum EDivisivePeer: String, CaseIterable {
  /// Hunter's: splits within windows of 50 by Student's t at 0.01, of which those stay that
  /// the same test tells at 0.001 (Fleming and others 2023, doi:10.1145/3578244.3583719).
  case otava = "apache-otava"
  /// MongoDB's: splits by 100 permutations at 0.05 (Daly and others 2020,
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

  /// Gives the indices of the first values after the changes in `values`.
  private var expression: String {
    switch self {
    case .otava: "[point.index for point in compute_change_points(values)[0]]"
    case .mongo: "e_divisive(values)"
    }
  }

  /// The version that is installed, or nil.
  var version: String? { package.version }

  /// Returns the indices of the first values after the changes in each series, in no order.
  func points(in series: [[Double]], seed: UInt64) throws -> [[Int]] {
    // What is printed before, as that a faster part of a package is missing, is none of the result.
    let program = """
      numpy.random.seed(int(sys.argv[2]) % 2**32)
      found = [\(expression) for values in json.load(open(sys.argv[1]))]
      print(json.dumps([[int(index) for index in points] for points in found]))
      """
    let lines = try package.lines(of: program, on: series, "\(seed)")
    let found = try JSONDecoder().decode([[Int]].self, from: Data((lines.last ?? "").utf8))
    guard found.count == series.count else {
      throw BenchError(
        description: "\(rawValue) answered for \(found.count) of \(series.count) series")
    }
    return found
  }
}
