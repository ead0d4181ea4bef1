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
    let isLater = run.profile.map { hasChanged(path, since: $0, of: run.started) } ?? false
    return SourceText(
      lines: lines,
      note: isLater
        ? "The source file has changed since the program was built, so that lines may have moved."
        : nil)
  }
}
