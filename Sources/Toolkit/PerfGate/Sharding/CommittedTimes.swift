internal import Foundation
internal import PerfModel
internal import PerfStatistics
internal import PerfStore

/// The durations of scenarios by the baselines that are kept in the repository.
///
/// Every machine has the same files, so that each splits a gate in the same way. A run store would
/// differ from machine to machine.
struct CommittedTimes {
  /// The folder of the baselines, from the folder of the project.
  static let folder = "Reports/baselines"

  private struct Variant: Hashable {
    let scenario: String
    let name: String
  }

  /// The latest run of each variant.
  private var runs: [Variant: Run] = [:]

  /// Takes the latest run of each variant.
  init(_ runs: [Run]) {
    for run in runs {
      let variant = Variant(scenario: run.scenario, name: run.variant)
      if let known = self.runs[variant], (known.started, known.id) >= (run.started, run.id) {
        continue
      }
      self.runs[variant] = run
    }
  }

  /// Reads the baselines of a project, the folder of which need not exist.
  ///
  /// - Parameters:
  ///   - project: The absolute path of the project.
  ///   - note: Receives the reason why a file is left out.
  init(ofProject project: String, note: (String) -> Void) {
    let folder = "\(project)/\(Self.folder)"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let runs = names.filter { $0.hasSuffix(".json") }.sorted().flatMap { name -> [Run] in
      let path = "\(folder)/\(name)"
      do {
        let bytes = [UInt8](FileManager.default.contents(atPath: path) ?? Data())
        return try BaselineFile(bytes, path: path).runs
      } catch {
        note("the durations of '\(Self.folder)/\(name)' are not used: \(error)")
        return []
      }
    }
    self.init(runs)
  }

  /// Returns the nanoseconds of a pair of each of some variants; nil if a variant is unknown.
  func time(of scenario: String, _ variants: [String]) -> Double? {
    let times = variants.compactMap { variant -> Double? in
      guard let run = runs[Variant(scenario: scenario, name: variant)],
        let wall = run.values(of: MetricName.wall).max()
      else { return nil }
      return LaunchTimes.timePerPair(
        run, launches: BlockStatistic.launchesPerPair(forLaunchOf: wall / 1e9))
    }
    return times.isEmpty || times.count < variants.count ? nil : times.reduce(0, +)
  }
}
