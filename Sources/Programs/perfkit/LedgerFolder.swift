internal import Foundation
internal import Glibc
internal import PerfModel
internal import PerfReport
internal import PerfRunner
internal import PerfScenario
internal import PerfStore

/// The folder of the ledger's pages, which decisions of several stores may share.
struct LedgerFolder: Sendable {
  /// Its absolute path; it need not be there.
  let path: String

  /// Creates the folder at a path.
  init(path: String) {
    self.path = path
  }

  /// Finds the folder that counts where a verb runs.
  ///
  /// It lies beside `perfkit.yml` at the root of the checkout, whatever folder of it the verb runs in;
  /// where there is no checkout, or it is of something else, in that folder.
  init(in context: Context) {
    let folder = context.workingDirectory
    let checkout = try? GitCheckout(containing: folder, variables: context.variables)
    let root = checkout.flatMap { ProjectFile.isProject($0.root) ? $0.root : nil }
    path = "\(root ?? folder)/\(DecisionPage.folder)"
  }

  /// What was decided on the pages, in no order; what cannot be read is passed over.
  var decisions: [Decision] {
    let pages = (try? files())?.filter { $0.hasSuffix(".md") } ?? []
    return pages.compactMap { name in
      (try? String(contentsOfFile: "\(path)/\(name)", encoding: .utf8))
        .flatMap(DecisionPage.decision(of:))
    }
  }

  /// Adds a decision to a store and its page to the folder, or does neither.
  ///
  /// Its number is after all that the store and the folder have. Processes number their decisions
  /// one after the other: pages of one number may have names that differ, so that it would not do to
  /// refuse to replace one.
  ///
  /// - Parameters:
  ///   - decision: The decision, without its number.
  ///   - store: The store.
  /// - Returns: The name of the page.
  /// - Throws: `Failure` when the folder cannot be listed, as its pages could be overwritten;
  ///   `ReportError` when the page cannot be written; `StoreError`.
  func append(_ decision: Decision, to store: RunStore) throws -> String {
    try alone {
      var name = ""
      var obstacle: (any Error)?
      do {
        // A decision without its page would accept what nobody can read of.
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

  /// The number after the highest one of the pages, at least 1.
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

  /// Does something while no other process does, for which it waits.
  ///
  /// The folder is made for that; when it throws, what was made is removed again.
  private func alone<Value>(_ body: () throws -> Value) throws -> Value {
    let missing = sequence(first: path) { ($0 as NSString).deletingLastPathComponent }
      .prefix { !FileManager.default.fileExists(atPath: $0) }
    let folder = try locked()
    defer { close(folder) }
    do {
      return try body()
    } catch {
      // One that has something in it stays.
      for made in missing { rmdir(made) }
      throw error
    }
  }

  /// Makes the folder and waits for its lock, which is the folder's own and ends with the process.
  private func locked() throws -> Int32 {
    while true {
      do {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      } catch {
        throw failure("make", ErrorReason.clause(error.localizedDescription))
      }
      let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      if folder < 0, errno == ENOENT { continue }
      guard folder >= 0 else { throw failure("open", String(cString: strerror(errno))) }
      var code: Int32 = 0
      repeat { code = flock(folder, LOCK_EX) == 0 ? 0 : errno } while code == EINTR
      if code == 0, isStill(folder) { return folder }
      close(folder)
      guard code == 0 else { throw failure("lock", String(cString: strerror(code))) }
    }
  }

  /// Whether the path is that of the folder that was opened, which another process may have removed.
  private func isStill(_ folder: Int32) -> Bool {
    var (opened, found) = (stat(), stat())
    return fstat(folder, &opened) == 0 && stat(path, &found) == 0
      && opened.st_dev == found.st_dev && opened.st_ino == found.st_ino
  }

  private func failure(_ what: String, _ reason: String) -> Failure {
    Failure("cannot \(what) the ledger's folder '\(path)': \(reason).")
  }
}
