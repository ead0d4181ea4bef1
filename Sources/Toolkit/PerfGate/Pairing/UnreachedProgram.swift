internal import Foundation
internal import PerfProfile
internal import PerfRunner

/// A test whether the change between two builds can reach a program.
///
/// A change cannot reach a program if the loaded content of the program and of all libraries beside it
/// is the same in both builds, and no changed file can be read by the program while it runs. Weaker
/// evidence does not count: a function may be inlined into another file, and moved code may become
/// faster or slower.
struct UnreachedProgram {
  let base: RevisionBuild
  let candidate: RevisionBuild
  /// The files that differ between the revisions, from the root.
  let changed: [String]
  /// The folder of scenario files, from the root; the candidate's files count for both sides.
  let scenarios: String

  /// The endings of files that only compilers and readers open.
  private static let sources: Set<String> = [
    "swift", "c", "cc", "cpp", "cxx", "m", "mm", "s", "h", "hpp", "md",
  ]

  /// Returns whether the change cannot reach a program, given its paths in both builds; false in
  /// case of doubt.
  func isUnreached(_ old: String, _ new: String) -> Bool {
    guard old.hasPrefix(base.tree + "/"), new.hasPrefix(candidate.tree + "/") else { return false }
    if base.revision.commit == candidate.revision.commit { return true }
    guard changed.allSatisfy(isNoInput) else { return false }
    let (before, after) = (Self.libraries(base.products), Self.libraries(candidate.products))
    guard before == after else { return false }
    return Self.isSame(old, new)
      && before.allSatisfy { Self.isSame("\(base.products)/\($0)", "\(candidate.products)/\($0)") }
  }

  private func isNoInput(_ path: String) -> Bool {
    let ending = (path as NSString).pathExtension.lowercased()
    return Self.sources.contains(ending) || path.hasPrefix(scenarios + "/") && ending == "yml"
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
