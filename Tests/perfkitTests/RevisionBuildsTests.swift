import Foundation
import Glibc
import PerfRunner
import PerfTestSupport
import Testing

@testable import perfkit

/// Which builds are kept.
@Suite(.serialized)
struct RevisionBuildsTests {
  private let repository: TestRepository
  private let checkout: GitCheckout
  private let builds: RevisionBuilds

  init() throws {
    repository = try TestRepository()
    let variables = ProcessInfo.processInfo.environment
    checkout = try GitCheckout(containing: repository.root, variables: variables)
    builds = Self.builds(of: checkout) { false }
  }

  private static func builds(
    of checkout: GitCheckout, isCancelled: @escaping @Sendable () -> Bool
  ) -> RevisionBuilds {
    RevisionBuilds(
      of: checkout,
      recipe: BuildRecipe(
        commands: [["mkdir", "-p", "bin"]], products: "bin", toolchain: []),
      folder: checkout.root + "/.perfkit/builds",
      variables: ProcessInfo.processInfo.environment, isCancelled: isCancelled)
  }

  /// Makes a commit and builds it.
  private func build(_ number: Int) throws -> RevisionBuild {
    try repository.write("number", "\(number)\n")
    try repository.commit("Number \(number)")
    return try builds.build(checkout.revision("HEAD")) { _ in }
  }

  @Test func `the oldest builds are removed, but for one that is still to be measured`() throws {
    let files = FileManager.default
    let used = try build(0)
    let unused = try build(1).products
    #expect(files.fileExists(atPath: unused))
    for number in 2...RevisionBuilds.limit + 1 { _ = try build(number) }
    #expect(!files.fileExists(atPath: unused))
    #expect(files.fileExists(atPath: used.products))
    withExtendedLifetime(used) {}
  }

  @Test func `a build whose tree somebody removed is made again`() throws {
    let first = try build(0)
    try repository.git("worktree", "remove", "--force", first.tree)
    let second = try builds.build(checkout.revision("HEAD")) { _ in }
    #expect(!second.wasCached && second.tree == first.tree)
    #expect(FileManager.default.fileExists(atPath: second.products))
    let third = try builds.build(checkout.revision("HEAD")) { _ in }
    #expect(third.wasCached)
  }

  @Test(.enabled(if: geteuid() != 0, "root can remove everything"))
  func `an old build that cannot be removed costs no new one`() throws {
    let files = FileManager.default
    let folder = try build(0).products + "/cache"
    let oldest = try checkout.revision("HEAD")
    try files.createDirectory(atPath: folder + "/kept", withIntermediateDirectories: true)
    try files.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder)
    for number in 1...RevisionBuilds.limit { _ = try build(number) }
    #expect(files.fileExists(atPath: folder))
    // What is left of it is not in its own way either.
    let again = try builds.build(oldest) { _ in }
    #expect(!again.wasCached && files.fileExists(atPath: again.products))
    let place = (again.tree as NSString).deletingLastPathComponent
    let left = try files.contentsOfDirectory(atPath: place).filter { $0.hasPrefix("tree.left-") }
    #expect(left.count == 1)
    for name in left {
      try files.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: "\(place)/\(name)/bin/cache")
    }
  }

  @Test func `a lock that a killed build left in its tree is no obstacle`() throws {
    let first = try build(0)
    let place = (first.tree as NSString).deletingLastPathComponent
    try FileManager.default.removeItem(atPath: place + "/done")
    let lock = repository.root + "/.git/worktrees/tree/index.lock"
    try Data().write(to: URL(fileURLWithPath: lock))
    let second = try builds.build(checkout.revision("HEAD")) { _ in }
    #expect(!second.wasCached && second.tree == first.tree)
    #expect(FileManager.default.fileExists(atPath: second.products))
    #expect(!FileManager.default.fileExists(atPath: lock))
  }

  // MARK: - Git that is stopped

  @Test func `a tree that was being removed at a stop is made from the beginning`() throws {
    let tree = try build(0).tree
    let oldest = try checkout.revision("HEAD")
    for number in 1..<RevisionBuilds.limit { _ = try build(number) }
    try repository.write("number", "last\n")
    try repository.commit("Last")
    let done = (tree as NSString).deletingLastPathComponent + "/done"
    let stopped = Self.builds(of: checkout) { !FileManager.default.fileExists(atPath: done) }
    let last = try checkout.revision("HEAD")
    #expect(throws: CancellationError.self) { _ = try stopped.build(last) { _ in } }
    try Data().write(to: URL(fileURLWithPath: tree + "/half"))
    let again = try builds.build(oldest) { _ in }
    #expect(!again.wasCached && again.tree == tree)
    #expect(FileManager.default.fileExists(atPath: again.products))
    #expect(!FileManager.default.fileExists(atPath: tree + "/half"))
  }

  /// Has git go on for ever at the end of a checkout.
  ///
  /// - Returns: The path of the hook, and of the file that is there once it runs.
  private func hang() throws -> (hook: String, began: String) {
    let hook = repository.root + "/.git/hooks/post-checkout"
    let began = repository.root + "/.git/began"
    // An hour is as good as for ever, should nobody end it.
    try Executable.write("#!/bin/sh\n: > '\(began)'\nexec sleep 3600\n", to: hook)
    return (hook, began)
  }

  @Test(arguments: [false, true])
  func `a stop ends git, and the next build makes anew what one that was killed leaves`(
    isUnknown: Bool
  ) throws {
    let files = FileManager.default
    let (hook, began) = try hang()
    let stopped = Self.builds(of: checkout) { FileManager.default.fileExists(atPath: began) }
    let revision = try checkout.revision("HEAD")
    #expect(throws: CancellationError.self) { _ = try stopped.build(revision) { _ in } }
    try files.removeItem(atPath: hook)
    let listed = try repository.git("worktree", "list", "--porcelain").split(separator: "\n")
    let line = try #require(listed.last { $0.hasPrefix("worktree ") })
    let tree = String(line.dropFirst("worktree ".count))
    #expect(tree.hasSuffix("/tree"))
    // Of one that is killed in the middle its locks stay; the first says that the tree is being made.
    for lock in ["locked", "index.lock"] {
      try Data().write(to: URL(fileURLWithPath: "\(repository.root)/.git/worktrees/tree/\(lock)"))
    }
    if isUnknown { try files.removeItem(atPath: tree + "/.git") }
    try Data().write(to: URL(fileURLWithPath: tree + "/half"))
    let build = try builds.build(revision) { _ in }
    #expect(!build.wasCached && build.tree == tree)
    #expect(files.fileExists(atPath: build.products))
    #expect(files.fileExists(atPath: tree + "/work.c"))
    #expect(!files.fileExists(atPath: tree + "/half"))
  }

  @Test func `the first Ctrl-C ends the command while git is at work`() throws {
    let (hook, began) = try hang()
    let words = [
      "diff", "HEAD", "HEAD", "--scenario", "work", "--no-profile", "--no-report", "--max-time",
      "1ns",
    ]
    let stopped = repository.perfkit.run(
      words, cancellation: Cancellation { FileManager.default.fileExists(atPath: began) })
    #expect(stopped.status == .interrupted, "\(stopped.errors)")
    try FileManager.default.removeItem(atPath: hook)
    let result = repository.perfkit.run(words)
    #expect(result.status == .done, "\(result.errors)")
  }

  @Test(arguments: [
    (["bisect", "HEAD~1", "HEAD", "--scenario", "work", "--metric", "cpu.total"], "rev-list"),
    (["gate", "--against", "HEAD~1"], "rev-parse --verify"),
    // What has changed is asked once both are built.
    (["gate", "--against", "HEAD~1", "--no-profile"], "diff-tree"),
  ])
  func `the first Ctrl-C ends what git is asked, whichever verb asks`(
    words: [String], question: String
  ) throws {
    try repository.write("words", "one\n")
    try repository.commit("Words")
    let (variables, began) = try repository.gitThatHangs(at: question)
    let stopped = repository.perfkit.run(
      words, variables: variables,
      cancellation: Cancellation { FileManager.default.fileExists(atPath: began) })
    #expect(stopped.status == .interrupted, "\(stopped.errors)")
    #expect(!stopped.errors.contains("git was stopped"), "\(stopped.errors)")
    #expect(!stopped.output.contains("CancellationError"), "\(stopped.output)")
    #expect(FileManager.default.fileExists(atPath: began))
  }
}
