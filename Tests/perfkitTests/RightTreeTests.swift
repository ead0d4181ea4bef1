import Foundation
import PerfGate
import PerfTestSupport
import Testing

@testable import perfkit

/// Builds and launches of revisions run in the revision's tree.
@Suite(.serialized)
struct RightTreeTests {
  private static let options = ["--no-profile", "--no-report", "--max-time", "1ns"]

  private static let diff = ["diff", "--all", "HEAD", "WORKTREE", "--scenario", "work"] + options

  /// Returns the contents of a file in the trees of all builds.
  private func built(_ path: String, _ repository: TestRepository) throws -> Set<String> {
    let builds = repository.root + "/.perfkit/builds"
    return Set(
      try FileManager.default.contentsOfDirectory(atPath: builds).compactMap {
        try? String(contentsOfFile: "\(builds)/\($0)/tree/my books/\(path)", encoding: .utf8)
      })
  }

  private func scenario(_ more: String, in repository: TestRepository, folder: String = "") throws {
    try repository.write(
      folder + "Scenarios/work.yml", "scenario: work\nsummary: A script.\n\(more)\n")
  }

  @Test func `builds and launches have the tree as their directory and as PWD`() throws {
    let repository = try TestRepository()
    try repository.write("build.sh", "mkdir -p bin; echo \"$PWD\" > bin/built\n")
    let script = #"echo "$PWD $(pwd -P)" > where; cat data.txt"#
    try scenario("command: [sh, -c, '\(script)']", in: repository)
    try repository.write("data.txt", "one")
    try repository.commit("Script")
    try repository.write("data.txt", "two")
    let result = repository.perfkit.run(Self.diff)
    #expect(result.status == .done, "\(result.errors)")
    for file in ["bin/built", "where"] {
      let places = try built(file, repository)
      #expect(places.count == 2)
      let isOwn = places.allSatisfy { place in
        place.split(whereSeparator: \.isNewline).allSatisfy { $0.contains("/.perfkit/builds/") }
      }
      #expect(isOwn, "\(places)")
    }
  }

  @Test func `a file that only the checkout has is refused`() throws {
    let repository = try TestRepository(ignored: "bin\n.perfkit\n*.csv\n")
    try scenario("command: [cat, --number, books.csv]", in: repository)
    try repository.commit("Script")
    try repository.write("books.csv", "ignored by git")
    let result = repository.perfkit.run(Self.diff)
    #expect(result.status == .failed)
    #expect(result.says("'books.csv' is in the checkout, but not in WORKTREE"), "\(result.errors)")
    let direct = repository.perfkit.run(
      ["diff", "--all", "--command", "cat --show=books.csv", "HEAD", "HEAD"] + Self.options)
    #expect(direct.says("'books.csv' is in the checkout, but not in HEAD"), "\(direct.errors)")
  }

  @Test func `hooks of the repository do not run`() throws {
    let repository = try TestRepository()
    try Executable.write(
      "#!/bin/sh\n: > '\(repository.root)/.git/hooked'\nexit 1\n",
      to: repository.root + "/.git/hooks/post-checkout")
    // Git starts this program for each comparison of the checkout with its index.
    let monitor = repository.root + "/.git/monitor"
    try Executable.write(
      "#!/bin/sh\n: > '\(repository.root)/.git/monitored'\nexit 1\n", to: monitor)
    try repository.git("config", "core.fsmonitor", "'\(monitor)'")
    let result = repository.perfkit.run(Self.diff)
    #expect(result.status == .done, "\(result.errors)")
    for name in ["hooked", "monitored"] {
      #expect(!FileManager.default.fileExists(atPath: "\(repository.root)/.git/\(name)"))
    }
  }

  @Test func `hooks of a runner's copy do not run`() throws {
    let repository = try TestRepository()
    let copies = try TemporaryFolder()
    let context = repository.perfkit.context(TestCommand.RecordedOutput())
    let copy = try RepositoryCopy(of: repository.root, in: copies.path, context) { true }
    try Executable.write(
      "#!/bin/sh\n: > '\(copy.folder)/.git/hooked'\nexit 1\n",
      to: copy.folder + "/.git/hooks/post-checkout")
    try copy.checkOut(copy.commit("main"))
    #expect(FileManager.default.fileExists(atPath: copy.folder + "/work.c"))
    #expect(!FileManager.default.fileExists(atPath: copy.folder + "/.git/hooked"))
  }

  @Test func `a project in a folder of the repository is found from its folder`() throws {
    let repository = try TestRepository()
    try FileManager.default.removeItem(atPath: repository.root + "/perfkit.yml")
    try repository.write("apps/books/perfkit.yml", "build: [./make.sh]\nproducts: out\n")
    try Executable.write(
      "#!/bin/sh\nmkdir -p out; cp script.sh out/work; chmod +x out/work\n",
      to: repository.root + "/apps/books/make.sh")
    try repository.write("apps/books/script.sh", "#!/bin/sh\ncat data.txt\n")
    try repository.write("apps/books/data.txt", "one")
    try repository.write("apps/books/src/note", "")
    try scenario(
      "command: [../out/work]\ngate: { metrics: { wall: {} } }", in: repository,
      folder: "apps/books/")
    try repository.commit("Books in a folder")
    for place in ["apps/books", "apps/books/src"] {
      let recorded = TestCommand.RecordedOutput()
      var context = repository.perfkit.context(recorded)
      context.workspace.workingDirectory = "\(repository.root)/\(place)"
      let status = Perfkit.run(
        ["diff", "--all", "HEAD", "HEAD", "--scenario", "work"] + Self.options, in: context)
      #expect(status == .done, "\(recorded.errors)")
    }
  }

  @Test func `an invalid scenario file is reported before anything is built`() throws {
    let repository = try TestRepository()
    try scenario("command: [true]\nbudgts: []", in: repository)
    try repository.commit("Typing error")
    let message = "Scenarios/work.yml:4:1: unknown key 'budgts' in the scenario; did you mean"
    let verbs = [
      Self.diff, ["gate", "--all", "--against", "HEAD~1", "--no-profile"],
      ["bisect", "HEAD~1", "HEAD", "--scenario", "work", "--metric", "wall", "--no-profile"],
    ]
    for words in verbs {
      let result = repository.perfkit.run(words)
      #expect(result.status == .failed)
      #expect(result.says(message), "\(result.errors)")
      #expect(!result.errors.contains("building"))
    }
  }
}
