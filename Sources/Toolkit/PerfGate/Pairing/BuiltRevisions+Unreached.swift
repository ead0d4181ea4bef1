internal import Foundation
internal import PerfProfile
internal import PerfRunner

extension BuiltRevisions {
  /// Returns whether the change cannot reach a program, given its paths in both builds; false in
  /// case of doubt.
  ///
  /// A change cannot reach a program if the loaded content of the program and of all libraries beside it
  /// is the same in both builds, and no changed file can be read by the program while it runs. Weaker
  /// evidence does not count: a function may be inlined into another file, and moved code may become
  /// faster or slower.
  func isUnreached(_ old: String, _ new: String, _ workspace: Workspace) throws -> Bool {
    guard old.hasPrefix(base.tree + "/"), new.hasPrefix(candidate.tree + "/") else { return false }
    if base.revision.commit == candidate.revision.commit { return true }
    let changed = try workspace.unlessStopped {
      try checkout.changedFiles(from: base.revision, to: candidate.revision)
    }
    guard changed.allSatisfy(isNoInput) else { return false }
    let (before, after) = (Self.libraries(base.products), Self.libraries(candidate.products))
    guard before == after else { return false }
    return Self.isSame(old, new)
      && before.allSatisfy { Self.isSame("\(base.products)/\($0)", "\(candidate.products)/\($0)") }
  }

  /// The endings of files that only compilers and readers open.
  private static let sources: Set<String> = [
    "swift", "c", "cc", "cpp", "cxx", "m", "mm", "s", "h", "hpp", "md",
  ]

  private func isNoInput(_ path: String) -> Bool {
    let ending = (path as NSString).pathExtension.lowercased()
    return Self.sources.contains(ending) || path.hasPrefix(folder + "/") && ending == "yml"
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
