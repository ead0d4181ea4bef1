internal import Foundation
internal import Glibc
internal import PerfModel

/// The built programs of a revision, which are not removed while a copy of this value lives.
public struct RevisionBuild: Sendable {
  /// The revision.
  public let revision: GitCheckout.Revision
  /// The root of its tree.
  public let tree: String
  /// The folder of its project, the tree's root unless the repository has several projects.
  public let folder: String
  /// The folder of its programs.
  public let products: String
  /// The folders of its programs linked with other layouts, the first layout first; empty for none.
  public let layouts: [String]
  /// A folder for data sets of its programs, kept as long as the build.
  public let data: String
  /// The flags and commands of the build.
  public let flags: String
  /// The version of the toolchain; nil if unknown.
  public let toolchain: String?
  /// Whether the build existed before the request.
  public let wasCached: Bool
  let hold: DirectoryLock
}

/// Builds revisions in separate work trees, and keeps them by commit, toolchain and recipe.
///
/// A stopped build continues where it stopped; a tree that git did not finish is created again.
/// When a build is added, the oldest unused builds beyond `limit` are removed. One process builds
/// at a time; the others wait.
public struct RevisionBuilds: Sendable {
  /// The maximum number of unused builds.
  public static let limit = 12

  /// The folder of the builds.
  public let folder: String
  private let checkout: GitCheckout
  let recipe: BuildRecipe
  private let variables: [String: String]

  /// Creates the builds of a repository.
  ///
  /// - Parameters:
  ///   - checkout: The repository.
  ///   - recipe: The build instructions.
  ///   - folder: The folder of the builds, created if missing.
  ///   - variables: The environment variables of the build.
  public init(
    of checkout: GitCheckout, recipe: BuildRecipe, folder: String, variables: [String: String]
  ) {
    self.checkout = checkout
    self.recipe = recipe
    self.folder = folder
    self.variables = variables
  }

  /// Builds a revision, or returns its existing build.
  ///
  /// Missing links with other layouts are added to an existing build.
  ///
  /// - Parameters:
  ///   - revision: The revision.
  ///   - begin: Called with the path of the log before a build.
  /// - Returns: The build.
  /// - Throws: `RevisionError`, or `CancellationError` if the user stopped.
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
    let toolchain = try recipe.version(
      in: recipe.folder(in: checkout.root), variables: variables)
    let place = "\(folder)/\(key(of: revision, toolchain: toolchain))"
    try makeFolder(place)
    let lock = try BuildLock(folder: folder, isCancelled: checkout.isCancelled)
    defer { lock.release() }
    let done = place + "/done"
    let tree = tree(in: place)
    // Another program may have removed the tree alone, such as `git worktree remove`.
    let isReady = [done, tree + "/.git"].allSatisfy { FileManager.default.fileExists(atPath: $0) }
    if !isReady {
      // A build that is stopped from here on is incomplete.
      try? FileManager.default.removeItem(atPath: done)
      try checkOut(revision.commit, into: tree, watched(lock))
      try watched(lock).agePrograms(in: tree)
      begin(place + "/build.log")
      try run(recipe.compiling, of: revision, tree: tree, log: place + "/build.log", lock)
    }
    let layouts = try linked(revision, tree: tree, in: place, lock, begin: begin)
    // The date of the file is the time of the last use.
    guard FileManager.default.createFile(atPath: done, contents: nil) else {
      throw RevisionError.notWritable(path: done, reason: SystemCalls.text(of: errno))
    }
    if !isReady { try removeOldest(but: place, watched(lock)) }
    let project = recipe.folder(in: tree)
    return RevisionBuild(
      revision: revision, tree: tree, folder: project, products: "\(project)/\(recipe.products)",
      layouts: layouts, data: place + "/data", flags: recipe.flags(variables), toolchain: toolchain,
      wasCached: isReady, hold: DirectoryLock(place, isExclusive: false))
  }

  /// Returns the commit and a hash of everything else that determines the build.
  private func key(of revision: GitCheckout.Revision, toolchain: String?) -> String {
    let facts =
      [recipe.flags(variables), recipe.products, toolchain ?? ""]
      + [tree(in: ""), recipe.place]
      + (recipe.layouts > 0 ? BuildRecipe.linkerOptions(layout: 0) : [])
    return revision.commit.prefix(12) + "-"
      + StableHash.text(of: facts.joined(separator: "\u{1E}"))
  }

  /// Returns the repository with calls that the lock records.
  private func watched(_ lock: BuildLock) -> GitCheckout {
    var watched = checkout
    watched.begin = { lock.note($0) }
    return watched
  }

  /// Returns the path of the tree of a build.
  ///
  /// The tree has the name of the checkout's folder: a Swift package names another one in the folder above it
  /// (`.package(path: "../")`) by its folder.
  private func tree(in place: String) -> String {
    let name = (checkout.root as NSString).lastPathComponent
    return "\(place)/tree/\(name == "/" ? "root" : name)"
  }

  /// Returns the path of the file that marks a tree as complete.
  private static func mark(ofWhole tree: String) -> String { tree + ".whole" }

  /// Checks out a commit into its tree.
  ///
  /// A tree without its mark is created again, because a killed git leaves locks and partial
  /// submodules.
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
        // A killed build may leave a lock of a git command that it ran.
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

  /// Runs commands in a tree, with their output in a new log.
  ///
  /// - Throws: `RevisionError`, or `CancellationError` if the user stopped.
  func run(
    _ commands: [[String]], of revision: GitCheckout.Revision, tree: String, log: String,
    _ lock: BuildLock
  ) throws {
    let file = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else {
      throw RevisionError.notWritable(path: log, reason: SystemCalls.text(of: errno))
    }
    defer { close(file) }
    let project = recipe.folder(in: tree)
    guard FileManager.default.fileExists(atPath: project) else {
      throw RevisionError.noFolder(folder: recipe.place, revision: revision.title)
    }
    for command in commands {
      guard let name = command.first else { continue }
      let process = try WorkerProcess(
        WorkerProcess.Configuration(
          path: try BuildRecipe.program(name, in: project, variables),
          arguments: Array(command.dropFirst()),
          environment: GitCheckout.leavingOutRepository(variables), descriptors: [],
          directory: project, streams: (file, file)))
      lock.note(process.id)
      let wait = process.waitForEnd(deadline: nil, isCancelled: checkout.isCancelled)
      guard wait != .cancelled else {
        process.kill()
        throw CancellationError()
      }
      guard wait == .ended(.exited(0)) else {
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
      try files.createDirectory(
        atPath: place, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      // The builds are not part of the work tree. The store's folder is not either, unless the user
      // chose its location.
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
    where !DirectoryLock(place, isExclusive: true).isTaken {
      // The marks are removed first, so that a partly removed build is not mistaken for a complete
      // one.
      try? files.removeItem(atPath: place + "/done")
      let tree = tree(in: place)
      try? files.removeItem(atPath: Self.mark(ofWhole: tree))
      try checkout.removeTree(tree)
      // A package cache may contain read-only folders; failing to remove them must not fail the new
      // build.
      try? files.removeItem(atPath: place)
    }
  }
}
