import Foundation
import PerfRunner
import PerfTestSupport
import Testing

@testable import perfkit

/// What counts as a change of a checkout, and what is built of it.
@Suite(.serialized)
struct WorkTreeTests {
  private static let diff = [
    "diff", "--scenario", "work", "--no-profile", "--max-time", "1ns",
  ]

  private func workTree(
    _ repository: TestRepository, store: String = ".perfkit/perfkit.sqlite"
  ) throws -> GitCheckout.Revision {
    try GitCheckout(
      containing: repository.root, variables: ProcessInfo.processInfo.environment,
      store: "\(repository.root)/\(store)"
    ).revision(GitCheckout.workTree)
  }

  @Test func `what perfkit writes is no change, though nothing hides it from git`() throws {
    let repository = try TestRepository(ignored: "bin\n")
    try repository.build()
    let run = repository.perfkit("run", "work", "--no-profile", "--iterations", "1")
    #expect(run.status == .done, "\(run.errors)")
    #expect(try repository.git("status", "--porcelain", "-uall").contains("Reports/work"))
    #expect(try !workTree(repository).isDirty)

    try repository.program(decode: 20, layout: 21)
    let first = repository.perfkit.run(Self.diff)
    #expect(first.errors.contains("building WORKTREE"), "\(first.errors)")
    let commit = try workTree(repository).commit
    let second = repository.perfkit.run(Self.diff)
    #expect(!second.errors.contains("building"), "\(second.errors)")
    #expect(second.errors.contains("going on with comparison"))

    // A cache of CI brings the builds back, and not the file that hides them.
    try FileManager.default.removeItem(atPath: repository.root + "/.perfkit/.gitignore")
    #expect(try workTree(repository).commit == commit)
    // What somebody else wrote is a change.
    try repository.write("Reports/page.html", "<!doctype html>")
    #expect(try workTree(repository).commit != commit)
  }

  @Test func `a store in a folder of the project hides nothing but itself`() throws {
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

  @Test func `changes on a signed commit are measured where git shows signatures`() throws {
    let repository = try TestRepository()
    let text = try repository.git("cat-file", "commit", "HEAD")
    let signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----"
    let parts = text.components(separatedBy: "\n\n")
    try #require(parts.count == 2)
    try repository.write(".git/signed", "\(parts[0])\n\(signature)\n\n\(parts[1])\n")
    // What git asks of a signature says who made it, which git then shows.
    let program = repository.root + "/.git/gpg"
    try Executable.write(
      "#!/bin/sh\necho 'gpg: made' >&2\necho '[GNUPG:] BADSIG 1234567890 A Reader'\n", to: program)
    try repository.git("config", "gpg.program", program)
    try repository.git("config", "log.showSignature", "true")
    let signed = try repository.git("hash-object", "-t", "commit", "-w", ".git/signed")
    try repository.git("update-ref", "HEAD", signed)
    #expect(try repository.git("show", "--no-patch", "--format=%s") == "gpg: made\nFirst")
    #expect(try !workTree(repository).isDirty)
    try repository.program(decode: 20, layout: 21)
    #expect(try workTree(repository).isDirty)
    let checkout = try GitCheckout(
      containing: repository.root, variables: ProcessInfo.processInfo.environment)
    #expect(try checkout.subject(of: signed) == "First")
  }

  @Test func `a checkout that git refuses is told in git's words`() throws {
    let perfkit = try TestCommand()
    // As of a work tree whose repository was moved.
    try "gitdir: /nowhere/at/all\n".write(
      toFile: perfkit.folder(".git"), atomically: true, encoding: .utf8)
    try perfkit.scenario(
      "quick", "scenario: quick\nsummary: A command.\ncommand: [/bin/true]\nvariants: { plain: {} }"
    )
    for words in [["diff", "--scenario", "quick"], ["gate", "--dry-run", "--against", "main"]] {
      let result = perfkit.run(words)
      #expect(result.status == .failed)
      #expect(
        result.errors.contains("failed: fatal: not a git repository: /nowhere/at/all"),
        "\(result.errors)")
    }
  }

  @Test func `what git is told of all repositories reaches builds, a hook's words do not`() throws {
    let repository = try TestRepository()
    // As a build that fetches what it needs by the address and the key that CI configures.
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

  @Test func `a file that was moved has changed by both its names`() throws {
    let repository = try TestRepository()
    try repository.write("covers.csv", "one\ntwo\nthree\n")
    try repository.commit("Covers")
    try repository.git("mv", "covers.csv", "covers.swift")
    try repository.commit("Covers in code")
    #expect(try changes(repository) == ["covers.csv", "covers.swift"])
  }

  /// The files in which HEAD differs from the commit before it.
  private func changes(_ repository: TestRepository) throws -> [String] {
    let checkout = try GitCheckout(
      containing: repository.root, variables: ProcessInfo.processInfo.environment)
    return try checkout.changedFiles(
      from: checkout.revision("HEAD~1"), to: checkout.revision("HEAD"))
  }

  // MARK: - Submodules

  /// A repository with a submodule that has one itself; the program takes its steps from them.
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

  /// What lies in a submodule of each tree that was built.
  private func built(_ path: String, _ repository: TestRepository) throws -> Set<String> {
    let builds = repository.root + "/.perfkit/builds"
    let names = try FileManager.default.contentsOfDirectory(atPath: builds)
    return Set(
      names.compactMap {
        try? String(contentsOfFile: "\(builds)/\($0)/tree/\(path)", encoding: .utf8)
      }
    )
  }

  @Test func `a change inside a submodule is measured, and leaves the submodule as it is`() throws {
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

  @Test func `a submodule's commit that was never pushed is built from the checkout`() throws {
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

  @Test func `a submodule that git is told to pass over has changed all the same`() throws {
    let (repository, origins) = try withSubmodules()
    try repository.git("config", "--file", ".gitmodules", "submodule.lib.ignore", "all")
    try repository.commit("Pass over what changes there")
    try repository.write("lib/value.h", "2")
    try commit("Two", in: repository.root + "/lib", repository)
    let two = try repository.git("-C", "lib", "rev-parse", "HEAD")
    try repository.git("update-index", "--cacheinfo", "160000,\(two),lib")
    try repository.git("commit", "--quiet", "-m", "Take two")
    #expect(try changes(repository) == ["lib"])
    withExtendedLifetime(origins) {}
  }

  @Test func `a submodule that can be had nowhere is named, with what to do`() throws {
    let (repository, origins) = try withSubmodules()
    try repository.git("submodule", "--quiet", "deinit", "--force", "lib")
    try FileManager.default.removeItem(atPath: repository.root + "/.git/modules")
    for origin in origins { try FileManager.default.removeItem(atPath: origin.path) }
    let result = repository.perfkit.run(Self.diff + ["HEAD", "HEAD", "--no-report"])
    #expect(result.status == .failed)
    #expect(result.errors.contains("of the submodule 'lib'"), "\(result.errors)")
    #expect(result.errors.contains("git submodule update --init --recursive"))
  }

  // MARK: - Shallow clones

  @Test func `a shallow clone says what to fetch`() throws {
    let repository = try TestRepository()
    try repository.write("README", "words")
    try repository.commit("Words")
    let clone = try TemporaryFolder(named: "shallow clone")
    try repository.git(
      "clone", "--quiet", "--depth", "1", "file://" + repository.root, clone.path)
    let checkout = try GitCheckout(
      containing: clone.path, variables: ProcessInfo.processInfo.environment)
    #expect {
      try checkout.revision("HEAD~1")
    } throws: { error in
      "\(error)".contains("there is no revision 'HEAD~1'")
        && "\(error)".contains("`git fetch --unshallow` (in CI: a fetch depth of 0)")
    }
    #expect(try checkout.revision(GitCheckout.workTree).isDirty == false)
  }
}
