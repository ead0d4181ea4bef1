internal import Foundation
internal import Glibc
internal import PerfModel

/// A revision whose programs lie ready, and are not removed while a copy of this value lives.
public struct RevisionBuild: Sendable {
  /// What was built.
  public let revision: GitCheckout.Revision
  /// The root of its tree.
  public let tree: String
  /// The folder of its programs.
  public let products: String
  /// A folder for data sets that its programs make, kept as long as the build.
  public let data: String
  /// What it was built by, in words.
  public let flags: String
  /// What built it, in its own words; nil when nobody said.
  public let toolchain: String?
  /// Whether it lay ready before it was asked for.
  public let wasCached: Bool
  let hold: DirectoryLock
}

/// Builds revisions, each in a work tree of its own, and keeps them by commit, toolchain and recipe.
///
/// A build that was stopped goes on where it was; a tree that git had not finished is made anew. The oldest
/// builds beyond `limit` that nobody uses are removed when a new one is made. One process at a time builds;
/// the others wait.
public struct RevisionBuilds: Sendable {
  /// Builds that are kept, of those that nobody uses.
  public static let limit = 12

  /// The folder that they lie in.
  public let folder: String
  private let checkout: GitCheckout
  private let recipe: BuildRecipe
  private let variables: [String: String]
  private let isCancelled: @Sendable () -> Bool

  /// Creates the builds of a repository.
  ///
  /// - Parameters:
  ///   - checkout: The repository.
  ///   - recipe: How its trees are built.
  ///   - folder: The folder of the builds; it is made when it is missing.
  ///   - variables: The environment variables of the build.
  ///   - isCancelled: Whether the user wants to stop; asked ten times a second.
  public init(
    of checkout: GitCheckout, recipe: BuildRecipe, folder: String, variables: [String: String],
    isCancelled: @escaping @Sendable () -> Bool
  ) {
    self.checkout = checkout
    self.recipe = recipe
    self.folder = folder
    self.variables = variables
    self.isCancelled = isCancelled
  }

  /// Builds a revision, or finds it built.
  ///
  /// - Parameters:
  ///   - revision: What is built.
  ///   - begin: Called with the path of the log before a build begins.
  /// - Returns: Where its programs lie.
  /// - Throws: `RevisionError`, or `CancellationError` when the user stopped it.
  public func build(
    _ revision: GitCheckout.Revision, begin: (_ log: String) -> Void
  ) throws -> RevisionBuild {
    do {
      return try built(revision, begin: begin)
    } catch RevisionError.stopped {
      throw CancellationError()
    }
  }

  private func built(
    _ revision: GitCheckout.Revision, begin: (_ log: String) -> Void
  ) throws -> RevisionBuild {
    let toolchain = try recipe.version(in: checkout.root, variables: variables)
    let place = "\(folder)/\(key(of: revision, toolchain: toolchain))"
    try makeFolder(place)
    let lock = try BuildLock(folder: folder, isCancelled: isCancelled)
    defer { lock.release() }
    let done = place + "/done"
    let tree = place + "/tree"
    // Somebody may have removed the tree alone, as `git worktree remove` does.
    let isReady = [done, tree + "/.git"].allSatisfy { FileManager.default.fileExists(atPath: $0) }
    if !isReady {
      // What is stopped from here on is none any more.
      try? FileManager.default.removeItem(atPath: done)
      try checkOut(revision.commit, into: tree, watched(lock))
      begin(place + "/build.log")
      try build(revision, tree: tree, log: place + "/build.log", lock)
    }
    // Its date says when it was last of use.
    guard FileManager.default.createFile(atPath: done, contents: nil) else {
      throw RevisionError.notWritable(path: done, reason: SystemCalls.text(of: errno))
    }
    if !isReady { try removeOldest(but: place, watched(lock)) }
    return RevisionBuild(
      revision: revision, tree: tree, products: "\(tree)/\(recipe.products)",
      data: place + "/data", flags: recipe.flags(variables), toolchain: toolchain,
      wasCached: isReady, hold: DirectoryLock(place))
  }

  /// The commit with what else decides what a build comes to.
  private func key(of revision: GitCheckout.Revision, toolchain: String?) -> String {
    let facts = [recipe.flags(variables), recipe.products, toolchain ?? ""]
    return revision.commit.prefix(12) + "-"
      + StableHash.text(of: facts.joined(separator: "\u{1E}"))
  }

  /// The repository, whose calls end by the user's stop, and stand in the lock while they go on.
  private func watched(_ lock: BuildLock) -> GitCheckout {
    var watched = checkout
    watched.watch = GitCheckout.Watch(isCancelled: isCancelled, begin: { lock.note($0) })
    return watched
  }

  /// The file that says that git has come to its end with a tree.
  private static func mark(ofWhole tree: String) -> String { tree + ".whole" }

  /// Puts a commit into its tree, from the beginning where git has not come to its end before: what it leaves
  /// when it is killed, as locks and half a submodule, it would stumble over.
  private func checkOut(
    _ commit: String, into tree: String, _ checkout: GitCheckout
  ) throws(RevisionError) {
    let files = FileManager.default
    let mark = Self.mark(ofWhole: tree)
    let wasWhole = files.fileExists(atPath: mark)
    try? files.removeItem(atPath: mark)
    if wasWhole {
      do {
        try checkout.checkOut(commit, into: tree)
      } catch {
        // Also a build that was killed may leave a lock, of the git that it called.
        guard case .git = error else { throw error }
        try checkout.removeTree(tree)
        try checkout.checkOut(commit, into: tree)
      }
    } else {
      if files.fileExists(atPath: tree) { try checkout.removeTree(tree) }
      try checkout.checkOut(commit, into: tree)
    }
    guard files.createFile(atPath: mark, contents: nil) else {
      throw .notWritable(path: mark, reason: SystemCalls.text(of: errno))
    }
  }

  private func build(
    _ revision: GitCheckout.Revision, tree: String, log: String, _ lock: BuildLock
  ) throws {
    let file = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard file >= 0 else {
      throw RevisionError.notWritable(path: log, reason: SystemCalls.text(of: errno))
    }
    defer { close(file) }
    for command in recipe.commands {
      guard let name = command.first else { continue }
      let process = try WorkerProcess(
        WorkerProcess.Configuration(
          path: try BuildRecipe.program(name, in: tree, variables),
          arguments: Array(command.dropFirst()),
          environment: GitCheckout.leavingOutRepository(variables), descriptors: [],
          directory: tree, streams: (file, file)))
      lock.note(process.id)
      var ending: WorkerProcess.Ending?
      while ending == nil {
        if isCancelled() {
          process.kill()
          throw CancellationError()
        }
        ending = process.waitForEnd(deadline: SystemCalls.now() + 100_000_000)
      }
      guard ending == .exited(0) else {
        throw RevisionError.buildFailed(
          revision: revision.title, command: command.joined(separator: " "), log: log,
          tail: Self.tail(of: log))
      }
    }
  }

  private static func tail(of log: String) -> String {
    let lines = (SystemCalls.read(log, limit: 64 << 20) ?? "").split(separator: "\n")
    return lines.suffix(12).map { "  " + $0 }.joined(separator: "\n")
  }

  private func makeFolder(_ place: String) throws(RevisionError) {
    let files = FileManager.default
    do {
      try files.createDirectory(atPath: place, withIntermediateDirectories: true)
      // What lies here is no part of the work tree; nor is what lies beside it, unless the user chose
      // the place of the store.
      let parent = (folder as NSString).deletingLastPathComponent
      let isOwn = (parent as NSString).lastPathComponent == ".perfkit"
      let ignore = (isOwn ? parent : folder) + "/.gitignore"
      if !files.fileExists(atPath: ignore) {
        try Data("*\n".utf8).write(to: URL(fileURLWithPath: ignore))
      }
    } catch {
      throw .notWritable(path: place, reason: ErrorReason.clause(error.localizedDescription))
    }
  }

  private func removeOldest(but current: String, _ checkout: GitCheckout) throws {
    let files = FileManager.default
    let places = try files.contentsOfDirectory(atPath: folder).map { "\(folder)/\($0)" }
      .filter { $0 != current && files.fileExists(atPath: $0 + "/tree") }
    let dated = places.map { place in
      let attributes = try? files.attributesOfItem(atPath: place + "/done")
      return (place, attributes?[.modificationDate] as? Date ?? .distantPast)
    }
    for (place, _) in dated.sorted(by: { $0.1 > $1.1 }).dropFirst(Self.limit - 1)
    where !DirectoryLock.isLocked(place) {
      // First, so that one that is stopped here is not taken for a whole one, nor its tree.
      try? files.removeItem(atPath: place + "/done")
      try? files.removeItem(atPath: Self.mark(ofWhole: place + "/tree"))
      try checkout.removeTree(place + "/tree")
      // A package cache may have folders that nobody can write: what stays must not cost a new build.
      try? files.removeItem(atPath: place)
    }
  }
}

/// The lock of a folder of builds, which ends with the process that holds it.
///
/// Its file names the process group of the command that builds, or of git, so that what goes on when this
/// process was killed can be ended before somebody else builds.
private struct BuildLock {
  private let file: Int32

  /// Waits for the lock.
  init(folder: String, isCancelled: () -> Bool) throws {
    let path = folder + "/lock"
    file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    guard file >= 0 else {
      throw RevisionError.notWritable(path: path, reason: SystemCalls.text(of: errno))
    }
    // An hour: the longest build that somebody waits for.
    for _ in 0..<36_000 {
      if flock(file, LOCK_EX | LOCK_NB) == 0 {
        Self.endOrphan(path)
        return
      }
      if isCancelled() { break }
      usleep(100_000)
    }
    close(file)
    if isCancelled() { throw CancellationError() }
    throw RevisionError.locked(folder: folder)
  }

  /// Notes who builds: the number of the group's first process, and when that began.
  func note(_ group: pid_t) {
    let text = Array("\(group) \(Self.begin(of: group) ?? "")".utf8)
    ftruncate(file, 0)
    pwrite(file, text, text.count, 0)
  }

  func release() {
    ftruncate(file, 0)
    close(file)
  }

  /// When a process began, in the kernel's units; nil when there is none.
  private static func begin(of process: pid_t) -> String? {
    // proc(5): the first one here is field 3, and field 22 is starttime.
    let fields = SystemCalls.read("/proc/\(process)/stat").map(ProcText.fieldsBehindName) ?? []
    return fields.count > 19 ? String(fields[19]) : nil
  }

  /// Ends a group that builds for nobody any more.
  ///
  /// Of one whose first process has ended it is not known whose its number is, so it goes on; so does one
  /// that was started in the moment before its note.
  private static func endOrphan(_ lock: String) {
    let words = (SystemCalls.read(lock) ?? "").split(separator: " ")
    guard words.count == 2, let group = pid_t(words[0]), group > 1,
      begin(of: group) == String(words[1]), kill(-group, SIGKILL) == 0
    else { return }
    // Two seconds: a process that waits for a disk dies late.
    for _ in 0..<200 where kill(-group, 0) == 0 { usleep(10_000) }
  }
}
