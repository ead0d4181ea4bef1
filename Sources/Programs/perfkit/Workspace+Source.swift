internal import Foundation
internal import PerfGate
internal import PerfModel
internal import PerfReport

extension Workspace {
  /// Reads a source file that the debug information of a run names.
  ///
  /// - Parameters:
  ///   - path: The path; relative paths are those of the workspace.
  ///   - run: The run, with its profile.
  /// - Returns: The text; nil if the file cannot be read.
  func source(_ path: String, of run: Run) -> SourceText? {
    let place = absolute(path)
    guard let data = FileManager.default.contents(atPath: place) else { return nil }
    let text = String(decoding: data, as: UTF8.self)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map {
      String($0.hasSuffix("\r") ? $0.dropLast() : $0)
    }
    let isLater = Self.changed(place).map { $0 > built(from: path, run) } ?? false
    return SourceText(
      lines: lines,
      note: isLater
        ? "The source file has changed since the program was built, so that lines may have moved."
        : nil)
  }

  /// Returns the time at which the oldest program or library with functions of a source file was built.
  ///
  /// It is at most the start of the run: a file that is newer is not the one that was measured.
  private func built(from path: String, _ run: Run) -> Int64 {
    let names = Set((run.profile?.functions ?? []).filter { $0.file == path }.map(\.module))
    let builds = (run.profile?.modules ?? []).filter { names.contains($0.name) }
    return builds.compactMap { Self.changed($0.path) }.reduce(run.started.milliseconds, min)
  }

  /// Returns the time of the last change of a file in milliseconds since 1970; nil without the file.
  private static func changed(_ path: String) -> Int64? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.modificationDate] as? Date).map {
      Int64($0.timeIntervalSince1970 * 1000)
    }
  }
}
