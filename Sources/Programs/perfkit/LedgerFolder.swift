internal import Foundation
internal import PerfModel
internal import PerfReport

/// The folder of the ledger's pages, which decisions of several stores may share.
enum LedgerFolder {
  /// Returns the number after the highest one of the pages that lie in a folder.
  ///
  /// - Parameter path: The folder; one that is not there has no pages.
  /// - Returns: At least 1.
  /// - Throws: `Failure` when it cannot be listed: its pages could be overwritten.
  static func nextNumber(in path: String) throws -> Int {
    guard FileManager.default.fileExists(atPath: path) else { return 1 }
    do {
      let files = try FileManager.default.contentsOfDirectory(atPath: path)
      return (files.compactMap { DecisionPage.number(ofFile: $0) }.max() ?? 0) + 1
    } catch {
      throw Failure(
        "cannot list the ledger's pages in '\(path)': "
          + "\(ErrorReason.clause(error.localizedDescription)).")
    }
  }
}
