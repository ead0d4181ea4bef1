import Foundation
import Glibc
import PerfRunner
import PerfTestSupport
import Testing

/// The builds of revisions that are kept.
@Suite(.serialized)
struct RevisionBuildsTests {
  private let repository: TestRepository
  private let checkout: GitCheckout
  private let builds: RevisionBuilds

  init() throws {
    repository = try TestRepository()
    let variables = ProcessInfo.processInfo.environment
    checkout = try GitCheckout(containing: repository.root, variables: variables)
    builds = try Self.builds(of: repository) { false }
  }

  /// Returns the path of the file that marks the build of a tree as complete.
  private static func mark(ofBuiltTree tree: String) -> String {
    ((tree as NSString).deletingLastPathComponent as NSString).deletingLastPathComponent + "/done"
  }

  private static func builds(
    of repository: TestRepository, isCancelled: @escaping @Sendable () -> Bool
  ) throws -> RevisionBuilds {
    let checkout = try GitCheckout(
      containing: repository.root, variables: ProcessInfo.processInfo.environment,
      isCancelled: isCancelled)
    return RevisionBuilds(
      of: checkout,
      recipe: BuildRecipe(
        commands: [["mkdir", "-p", "bin"]], products: "bin", toolchain: []),
      folder: checkout.root + "/.perfkit/builds",
      variables: ProcessInfo.processInfo.environment)
  }

  /// Makes a commit and builds it.
  private func build(_ number: Int) throws -> RevisionBuild {
    try repository.write("number", "\(number)\n")
    try repository.commit("Number \(number)")
    return try builds.build(checkout.revision("HEAD")) { _ in }
  }

  @Test func `the oldest builds are removed, except for one in use`() throws {
    let files = FileManager.default
    let used = try build(0)
    let unused = try build(1).products
    #expect(files.fileExists(atPath: unused))
    for number in 2...RevisionBuilds.limit + 1 { _ = try build(number) }
    #expect(!files.fileExists(atPath: unused))
    #expect(files.fileExists(atPath: used.products))
    withExtendedLifetime(used) {}
  }

  @Test func `a build whose tree was removed is built again`() throws {
    let first = try build(0)
    try repository.git("worktree", "remove", "--force", first.tree)
    let second = try builds.build(checkout.revision("HEAD")) { _ in }
    #expect(!second.wasCached && second.tree == first.tree)
    #expect(FileManager.default.fileExists(atPath: second.products))
    let third = try builds.build(checkout.revision("HEAD")) { _ in }
    #expect(third.wasCached)
  }

  @Test(.enabled(if: geteuid() != 0, "root can remove everything"))
  func `an old build that cannot be removed does not prevent a new one`() throws {
    let files = FileManager.default
    let folder = try build(0).products + "/cache"
    let oldest = try checkout.revision("HEAD")
    try files.createDirectory(atPath: folder + "/kept", withIntermediateDirectories: true)
    try files.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder)
    for number in 1...RevisionBuilds.limit { _ = try build(number) }
    #expect(files.fileExists(atPath: folder))
    // The remains do not prevent a new build of the same revision.
    let again = try builds.build(oldest) { _ in }
    #expect(!again.wasCached && files.fileExists(atPath: again.products))
    let place = (again.tree as NSString).deletingLastPathComponent
    let left = try files.contentsOfDirectory(atPath: place).filter { $0.contains(".left-") }
    #expect(left.count == 1)
    for name in left {
      try files.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: "\(place)/\(name)/bin/cache")
    }
  }

  @Test func `the lock of a killed build does not prevent the next build`() throws {
    let first = try build(0)
    try FileManager.default.removeItem(atPath: Self.mark(ofBuiltTree: first.tree))
    let lock = try repository.git("-C", first.tree, "rev-parse", "--git-dir") + "/index.lock"
    try Data().write(to: URL(fileURLWithPath: lock))
    let second = try builds.build(checkout.revision("HEAD")) { _ in }
    #expect(!second.wasCached && second.tree == first.tree)
    #expect(FileManager.default.fileExists(atPath: second.products))
    #expect(!FileManager.default.fileExists(atPath: lock))
  }

  @Test func `a tree is named after the checkout, as Swift packages refer to it`() throws {
    #expect((try build(0).tree as NSString).lastPathComponent == "my books")
  }

  @Test func `a committed program is older than its sources, so that make builds it again`() throws
  {
    let files = FileManager.default
    try files.copyItem(atPath: "/usr/bin/true", toPath: repository.root + "/my work")
    try repository.write("measure.sh", "#!/bin/sh\n")
    try files.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: repository.root + "/measure.sh")
    let tree = try build(0).tree
    func date(_ name: String) throws -> Date {
      let attributes = try files.attributesOfItem(atPath: "\(tree)/\(name)")
      return try #require(attributes[.modificationDate] as? Date)
    }
    #expect(try date("my work") == Date(timeIntervalSince1970: 0))
    let present = try date("work.c")
    #expect(present > Date(timeIntervalSince1970: 0))
    // A script is a source.
    #expect(try date("measure.sh") >= present.addingTimeInterval(-60))
  }

  // MARK: - Stops

  @Test func `a tree whose removal was stopped is built from scratch`() throws {
    let tree = try build(0).tree
    let oldest = try checkout.revision("HEAD")
    for number in 1..<RevisionBuilds.limit { _ = try build(number) }
    try repository.write("number", "last\n")
    try repository.commit("Last")
    let done = Self.mark(ofBuiltTree: tree)
    let stopped = try Self.builds(of: repository) { !FileManager.default.fileExists(atPath: done) }
    let last = try checkout.revision("HEAD")
    #expect(throws: CancellationError.self) { _ = try stopped.build(last) { _ in } }
    try Data().write(to: URL(fileURLWithPath: tree + "/half"))
    let again = try builds.build(oldest) { _ in }
    #expect(!again.wasCached && again.tree == tree)
    #expect(FileManager.default.fileExists(atPath: again.products))
    #expect(!FileManager.default.fileExists(atPath: tree + "/half"))
  }

  @Test(arguments: [false, true])
  func `a stop ends git, and a build replaces the remains of a killed git`(
    isUnknown: Bool
  ) throws {
    let files = FileManager.default
    let (filter, began) = try repository.checkoutThatHangs()
    let stopped = try Self.builds(of: repository) { FileManager.default.fileExists(atPath: began) }
    let revision = try checkout.revision("HEAD")
    #expect(throws: CancellationError.self) { _ = try stopped.build(revision) { _ in } }
    try files.removeItem(atPath: filter)
    let tree = try builds.build(revision) { _ in }.tree
    try files.removeItem(atPath: Self.mark(ofBuiltTree: tree))
    let folder = try repository.git("-C", tree, "rev-parse", "--git-dir")
    // A killed git leaves its locks; the first one marks a tree that is being made.
    for lock in ["locked", "index.lock"] {
      try Data().write(to: URL(fileURLWithPath: "\(folder)/\(lock)"))
    }
    if isUnknown { try files.removeItem(atPath: tree + "/.git") }
    try Data().write(to: URL(fileURLWithPath: tree + "/half"))
    let build = try builds.build(revision) { _ in }
    #expect(!build.wasCached && build.tree == tree)
    #expect(files.fileExists(atPath: build.products))
    #expect(files.fileExists(atPath: tree + "/work.c"))
    #expect(!files.fileExists(atPath: tree + "/half"))
  }
}
