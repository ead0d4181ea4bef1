internal import Foundation
internal import PerfModel
internal import PerfProfile
internal import PerfRunner
internal import PerfScenario
internal import PerfStore

extension BuiltRevisions {
  /// Returns whether the change cannot reach the program of a scenario; false in case of doubt.
  ///
  /// A change cannot reach a program if the loaded content of the program and of all libraries beside it
  /// is the same in both builds, no changed file is a data file, and a launch of each side opens no
  /// changed file. Weaker evidence does not count: a function may be inlined into another file, and moved
  /// code may become faster or slower.
  func isUnreached(_ sides: PairedSides, _ measuring: Measuring) throws -> Bool {
    let (old, new) = (sides.base.runnable.program[0], sides.candidate.runnable.program[0])
    if base.revision.commit == candidate.revision.commit { return true }
    let changed = try measuring.workspace.unlessStopped {
      try checkout.changedFiles(from: base.revision, to: candidate.revision)
    }.filter { !isScenario($0) }
    guard changed.allSatisfy(Self.isSource) else { return false }
    // A script, or an interpreter outside of the trees, may start any program of its tree.
    guard base.contains(old), candidate.contains(new), let image = try? ProgramImage(path: old)
    else { return changed.isEmpty }
    let (before, after) = (Self.libraries(base.products), Self.libraries(candidate.products))
    guard before == after, image == (try? ProgramImage(path: new)),
      before.allSatisfy({ Self.isSame("\(base.products)/\($0)", "\(candidate.products)/\($0)") })
    else { return false }
    guard !changed.isEmpty else { return true }
    return opensNone(of: changed, sides.base, measuring)
      && opensNone(of: changed, sides.candidate, measuring)
  }

  /// The endings of files that usually only compilers and readers open.
  private static let sources: Set<String> = [
    "swift", "c", "cc", "cpp", "cxx", "m", "mm", "s", "h", "hpp", "rs", "go", "md",
  ]

  private static func isSource(_ path: String) -> Bool {
    sources.contains((path as NSString).pathExtension.lowercased())
  }

  private func isScenario(_ path: String) -> Bool {
    path.hasPrefix(folder + "/") && path.hasSuffix(".yml")
  }

  /// Makes a launch without samples, and returns whether it completes, opens none of the files and lists
  /// no folder in which one of them appeared or vanished.
  private func opensNone(
    of changed: [String], _ side: PairedSides.Side, _ measuring: Measuring
  ) -> Bool {
    var settings = measuring.settings
    (settings.isProfiled, settings.countsAllocations) = (false, false)
    (settings.iterations, settings.warmup) = (1, 0)
    guard let tree = side.runnable.build?.tree,
      let store = try? RunStore(path: measuring.storePath),
      let draft = try? measuring.with(settings).draft(
        side.runnable, variant: side.variant, store: store),
      let scratch = try? ScratchFolder(draft.plan.scratchDirectory)
    else { return false }
    defer { scratch.remove() }
    let files = FileManager.default
    let folders = changed.filter { path in
      files.fileExists(atPath: "\(base.tree)/\(path)")
        != files.fileExists(atPath: "\(candidate.tree)/\(path)")
    }.map { ($0 as NSString).deletingLastPathComponent }
    guard let watch = FileWatch((changed + folders).map { "\(tree)/\($0)" }) else { return false }
    let runner = ScenarioRunner(
      plan: draft.plan, workload: side.runnable.checked.workload,
      isCancelled: measuring.workspace.isCancelled)
    guard let outcome = try? runner.run(symbols: nil, observe: { _ in }) else { return false }
    return outcome.launches.count == 1 && outcome.launches[0].status == .completed
      && !watch.hasOpened()
  }

  private static func isSame(_ old: String, _ new: String) -> Bool {
    guard let before = try? ProgramImage(path: old) else { return false }
    return before == (try? ProgramImage(path: new))
  }

  private static func libraries(_ folder: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(".so") || $0.contains(".so.") }.sorted()
  }
}
