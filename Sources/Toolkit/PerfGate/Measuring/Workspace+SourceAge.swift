internal import Foundation
public import PerfModel
internal import PerfReport

extension Workspace {
  /// Returns whether a source file changed after the programs and libraries with its functions were built.
  ///
  /// They were built before the run at the latest: a file that is newer is not the one that was measured.
  ///
  /// - Parameters:
  ///   - path: The path in the debug information; relative paths are those of the workspace.
  ///   - profile: The profile with the functions of the file.
  ///   - started: The start of the run.
  /// - Returns: False if the file is missing.
  public func hasChanged(_ path: String, since profile: Profile, of started: Timestamp) -> Bool {
    guard let change = Self.changed(absolute(path)) else { return false }
    let names = Set(profile.functions.filter { $0.file == path }.map(\.module))
    let builds = profile.modules.filter { names.contains($0.name) }
    return change > builds.compactMap { Self.changed($0.path) }.reduce(started.milliseconds, min)
  }

  /// Returns a warning if a sampled function's source file changed between the build of its program and the
  /// start of the run.
  ///
  /// The files of programs without debug information are unknown.
  func outdatedProgram(_ profile: Profile, of started: Timestamp) -> RunWarning? {
    let files = Set(profile.functions.compactMap(\.file)).sorted()
    // A file that changed during the run may have been the program's at its start.
    let changed = files.filter { file in
      (Self.changed(absolute(file)) ?? .max) <= started.milliseconds
        && hasChanged(file, since: profile, of: started)
    }
    guard let first = changed.first,
      let module = profile.functions.first(where: { $0.file == first })?.module
    else { return nil }
    let others = changed.count == 1 ? "" : " and \(Wording.count(changed.count - 1, "other file"))"
    return RunWarning(
      code: RunWarning.outdatedCode,
      message:
        "the run may be of an older version: \(shown(absolute(first)))\(others) changed after "
        + "'\(module)' was built",
      remedy:
        "Build the program and repeat the command, or measure revisions with `perfkit diff`, which builds "
        + "them.")
  }

  /// Returns the time of the last change of a file in milliseconds since 1970; nil without the file.
  private static func changed(_ path: String) -> Int64? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.modificationDate] as? Date).map {
      Int64($0.timeIntervalSince1970 * 1000)
    }
  }
}
