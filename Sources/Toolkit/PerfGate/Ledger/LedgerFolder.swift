internal import Foundation
internal import Glibc
public import PerfModel
internal import PerfReport
internal import PerfRunner
internal import PerfScenario
public import PerfStore

/// The folder with the pages of decisions, which several stores may share.
public struct LedgerFolder: Sendable {
  /// The absolute path of the folder, which need not exist.
  public let path: String

  /// Creates the folder at an absolute path.
  public init(path: String) {
    self.path = path
  }

  /// Finds the folder of the project that contains the working directory.
  ///
  /// The folder is located beside `perfkit.yml`. Without a checkout, or if
  /// the checkout is no project, it is located in the working directory.
  public init(in workspace: Workspace) {
    let folder = (try? workspace.checkout(isStoppable: false)).flatMap { checkout in
      ProjectFile.place(of: workspace.workingDirectory, in: checkout.root)
        .map { "\(checkout.root)/\($0)" }
    }
    path = (folder ?? workspace.workingDirectory + "/") + DecisionPage.folder
  }

  /// The decisions on the pages, in no order; unreadable pages are skipped.
  var decisions: [Decision] {
    let pages = (try? files())?.filter { $0.hasSuffix(".md") } ?? []
    return pages.compactMap { name in
      (try? String(contentsOfFile: "\(path)/\(name)", encoding: .utf8))
        .flatMap(DecisionPage.decision(of:))
    }
  }

  /// Adds a decision to a store and its page to the folder, or does neither.
  ///
  /// The decision's number follows the highest number in the store and the folder. A lock of the folder
  /// makes processes number their decisions one after the other: two pages of one number may have
  /// different names, so that refusing to overwrite a file is not enough.
  ///
  /// - Parameters:
  ///   - decision: The decision, without its number.
  ///   - store: The store.
  /// - Returns: The name of the page.
  /// - Throws: `Failure` if the folder cannot be made, locked or listed; `ReportError` if the page cannot
  ///   be written; `StoreError`.
  public func append(_ decision: Decision, to store: RunStore) throws -> String {
    try withLock {
      var name = ""
      var obstacle: (any Error)?
      do {
        // The page is written inside of the store's transaction: neither exists without the other.
        try store.append(decision, numberedFrom: nextNumber()) { decision in
          let page = DecisionPage(decision)
          name = page.name
          do {
            try DocumentFile.write(page.text, to: "\(path)/\(name)")
          } catch {
            obstacle = error
            throw error
          }
        }
      } catch {
        throw obstacle ?? error
      }
      return name
    }
  }

  /// Returns the number after the highest number of the pages, at least 1.
  private func nextNumber() throws -> Int {
    do {
      return (try files().compactMap { DecisionPage.number(ofFile: $0) }.max() ?? 0) + 1
    } catch {
      throw failure("list the pages of", ErrorReason.clause(error.localizedDescription))
    }
  }

  private func files() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path)
  }

  /// Makes the folder if necessary, and calls a closure while this process holds its lock.
  private func withLock<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw failure("make", ErrorReason.clause(error.localizedDescription))
    }
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw failure("open", String(cString: strerror(errno))) }
    defer { close(folder) }
    while flock(folder, LOCK_EX) != 0 {
      guard errno == EINTR else { throw failure("lock", String(cString: strerror(errno))) }
    }
    return try body()
  }

  private func failure(_ action: String, _ reason: String) -> Failure {
    Failure("cannot \(action) the folder of decisions '\(path)': \(reason).")
  }
}
