import Foundation
import PerfGate
import PerfRunner
import PerfTestSupport
import Testing

@testable import perfkit

/// The changes of a checkout that are measured and built.
@Suite(.serialized)
struct WorkTreeTests {
  private static let diff = [
    "diff", "--all", "--scenario", "work", "--no-profile", "--max-time", "1ns",
  ]

  private func workTree(
    _ repository: TestRepository, store: String = ".perfkit/perfkit.sqlite"
  ) throws -> GitCheckout.Revision {
    try GitCheckout(
      containing: repository.root, variables: ProcessInfo.processInfo.environment,
      store: "\(repository.root)/\(store)"
    ).revision(GitCheckout.workTree)
  }

  @Test func `files that perfkit writes are no change, even if git does not ignore them`() throws {
    let repository = try TestRepository(ignored: "bin\n")
    try repository.build()
    let run = repository.perfkit("run", "--all", "work", "--no-profile", "--iterations", "1")
    #expect(run.status == .done, "\(run.errors)")
    #expect(try repository.git("status", "--porcelain", "-uall").contains("Reports/work"))
    #expect(try !workTree(repository).isDirty)

    try repository.program(decode: 20, layout: 21)
    let first = repository.perfkit.run(Self.diff)
    #expect(first.errors.contains("building WORKTREE"), "\(first.errors)")
    let commit = try workTree(repository).commit
    let second = repository.perfkit.run(Self.diff)
    #expect(!second.errors.contains("building"), "\(second.errors)")
    #expect(second.errors.contains("continuing comparison"))

    // A CI cache restores the builds without the file that hides them from git.
    try FileManager.default.removeItem(atPath: repository.root + "/.perfkit/.gitignore")
    #expect(try workTree(repository).commit == commit)
    // A file that perfkit did not write is a change.
    try repository.write("Reports/page.html", "<!doctype html>")
    #expect(try workTree(repository).commit != commit)
  }

  @Test func `a store in a project folder hides only its own files from git`() throws {
    let repository = try TestRepository(ignored: "bin\n")
    try repository.write("perf/data/books.csv", "one")
    try repository.commit("Books")
    let store = ["--store", "perf/runs.sqlite", "--no-report"]
    let measured = repository.perfkit.run(Self.diff + store)
    #expect(measured.status == .done, "\(measured.errors)")
    #expect(try !workTree(repository, store: "perf/runs.sqlite").isDirty)
    #expect(!FileManager.default.fileExists(atPath: repository.root + "/perf/.gitignore"))
    try repository.write("perf/data/more.csv", "two")
    #expect(try workTree(repository, store: "perf/runs.sqlite").isDirty)
  }

  @Test func `the index of the content is where the next run removes it after a kill`() throws {
    let repository = try TestRepository(ignored: "bin\n")
    let seen = try TemporaryFolder()
    try repository.write(".gitattributes", "work.c filter=spy\n")
    _ = try repository.git("config", "filter.spy.clean", "sh -c 'env > \(seen("variables")); cat'")
    try repository.program(decode: 20, layout: 21)
    #expect(try workTree(repository).isDirty)
    let variables = try String(contentsOfFile: seen("variables"), encoding: .utf8)
    #expect(
      variables.contains("GIT_INDEX_FILE=\(repository.root)/.perfkit/scratch/perfkit-index-"),
      "\(variables)")
    let left = try FileManager.default.contentsOfDirectory(
      atPath: repository.root + "/.perfkit/scratch")
    #expect(left == [])
  }

  @Test func `the error of a checkout that git refuses contains git's message`() throws {
    let perfkit = try TestCommand()
    // A work tree whose repository was moved.
    try "gitdir: /nowhere/at/all\n".write(
      toFile: perfkit.folder(".git"), atomically: true, encoding: .utf8)
    try perfkit.scenario(
      "quick", "scenario: quick\nsummary: A command.\ncommand: [/bin/true]\nvariants: { plain: {} }"
    )
    for words in [
      ["diff", "--all", "--scenario", "quick"],
      ["gate", "--all", "--dry-run", "--against", "main"],
    ] {
      let result = perfkit.run(words)
      #expect(result.status == .failed)
      #expect(
        result.errors.contains("failed: fatal: not a git repository: /nowhere/at/all"),
        "\(result.errors)")
    }
  }

  @Test func `builds receive git's configuration variables, but not the variables of a hook`()
    throws
  {
    let repository = try TestRepository()
    // A build may fetch dependencies from an address that CI configures this way.
    try repository.write(
      "build.sh",
      "mkdir -p bin && cc -O1 -o bin/work work.c && git config books.shelf > bin/shelf\n")
    try repository.commit("Ask git")
    let result = repository.perfkit.run(
      Self.diff + ["HEAD", "HEAD", "--no-report"],
      variables: [
        "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "books.shelf", "GIT_CONFIG_VALUE_0": "upper",
        "GIT_DIR": "/nowhere", "GIT_INDEX_FILE": "/nowhere/index",
      ])
    #expect(result.status == .done, "\(result.errors)")
    #expect(try built("bin/shelf", repository) == ["upper\n"])
  }

  /// Returns the files that differ between HEAD and the commit before it.
  private func changes(_ repository: TestRepository) throws -> [String] {
    let checkout = try GitCheckout(
      containing: repository.root, variables: ProcessInfo.processInfo.environment)
    return try checkout.changedFiles(
      from: checkout.revision("HEAD~1"), to: checkout.revision("HEAD"))
  }

  // MARK: - Submodules

  /// Returns a repository with a submodule that has a submodule itself.
  private func withSubmodules() throws -> (TestRepository, [TemporaryFolder]) {
    let repository = try TestRepository()
    let folders = try ["deep", "lib"].map { try TemporaryFolder(named: "\($0) origin") }
    let deep = try library(folders[0], repository)
    let lib = try library(folders[1], repository)
    try add("deep", from: deep, to: lib, repository)
    try add("lib", from: lib, to: repository.root, repository)
    try repository.git(
      "-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init", "--recursive")
    return (repository, folders)
  }

  private func library(_ folder: TemporaryFolder, _ repository: TestRepository) throws -> String {
    try repository.git("init", "--quiet", "--initial-branch=main", folder.path)
    try "1".write(toFile: folder("value.h"), atomically: true, encoding: .utf8)
    try repository.git("-C", folder.path, "add", "--all")
    try commit("First", in: folder.path, repository)
    return folder.path
  }

  private func commit(_ message: String, in folder: String, _ repository: TestRepository) throws {
    try repository.git(
      "-C", folder, "-c", "user.name=A Reader", "-c", "user.email=reader@example.org", "commit",
      "--quiet", "--all", "-m", message)
  }

  private func add(
    _ name: String, from source: String, to folder: String, _ repository: TestRepository
  ) throws {
    try repository.git(
      "-C", folder, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", source, name)
    try commit("Add \(name)", in: folder, repository)
  }

  /// Returns the contents of a file in all built trees.
  private func built(_ path: String, _ repository: TestRepository) throws -> Set<String> {
    let builds = repository.root + "/.perfkit/builds"
    let names = try FileManager.default.contentsOfDirectory(atPath: builds)
    return Set(
      names.compactMap {
        try? String(contentsOfFile: "\(builds)/\($0)/tree/my books/\(path)", encoding: .utf8)
      }
    )
  }

  @Test func `a change inside a submodule is measured without changing the submodule`() throws {
    let (repository, origins) = try withSubmodules()
    #expect(try !workTree(repository).isDirty)
    try repository.write("lib/deep/value.h", "2")
    let before = try repository.git("-C", "lib/deep", "status", "--porcelain")
    let result = repository.perfkit.run(Self.diff + ["--no-report"])
    #expect(result.status == .done, "\(result.errors)")
    #expect(result.errors.contains("with changes"))
    #expect(try built("lib/deep/value.h", repository) == ["1", "2"])
    #expect(try repository.git("-C", "lib/deep", "status", "--porcelain") == before)
    withExtendedLifetime(origins) {}
  }

  @Test func `an unpushed commit of a submodule is built from the checkout`() throws {
    let (repository, origins) = try withSubmodules()
    try repository.write("lib/value.h", "2")
    try commit("Two", in: repository.root + "/lib", repository)
    try repository.commit("Take two")
    for origin in origins { try FileManager.default.removeItem(atPath: origin.path) }
    let result = repository.perfkit.run(Self.diff + ["HEAD~1", "HEAD", "--no-report"])
    #expect(result.status == .done, "\(result.errors)")
    #expect(try built("lib/value.h", repository) == ["1", "2"])
    #expect(try built("lib/deep/value.h", repository) == ["1"])
  }

  @Test func `a change of a submodule counts even if git is configured to ignore it`() throws {
    let (repository, origins) = try withSubmodules()
    try repository.git("config", "--file", ".gitmodules", "submodule.lib.ignore", "all")
    try repository.commit("Ignore its changes")
    try repository.write("lib/value.h", "2")
    try commit("Two", in: repository.root + "/lib", repository)
    let two = try repository.git("-C", "lib", "rev-parse", "HEAD")
    try repository.git("update-index", "--cacheinfo", "160000,\(two),lib")
    try repository.git("commit", "--quiet", "-m", "Take two")
    #expect(try changes(repository) == ["lib"])
    withExtendedLifetime(origins) {}
  }

  @Test func `the error of an unavailable submodule names it and the command that fetches it`()
    throws
  {
    let (repository, origins) = try withSubmodules()
    try repository.git("submodule", "--quiet", "deinit", "--force", "lib")
    try FileManager.default.removeItem(atPath: repository.root + "/.git/modules")
    for origin in origins { try FileManager.default.removeItem(atPath: origin.path) }
    let result = repository.perfkit.run(Self.diff + ["HEAD", "HEAD", "--no-report"])
    #expect(result.status == .failed)
    #expect(result.errors.contains("of the submodule 'lib'"), "\(result.errors)")
    #expect(result.errors.contains("git submodule update --init --recursive"))
  }
}
