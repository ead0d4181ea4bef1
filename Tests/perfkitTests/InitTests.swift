import Foundation
import Glibc
import PerfGate
import PerfTestSupport
import Testing

@testable import perfkit

/// The first files of a project, written by the command.
struct InitTests {
  /// A repository with a C program and a Makefile.
  private func project(remote: String? = nil) throws -> TestRepository {
    let repository = try TestRepository(ignored: "work\n.perfkit/")
    try FileManager.default.removeItem(atPath: repository.root + "/perfkit.yml")
    try FileManager.default.removeItem(atPath: repository.root + "/Scenarios")
    try repository.write("Makefile", "PROG = work\n\nwork: work.c\n\tcc -O1 -g -o work work.c\n")
    try repository.commit("Use make")
    if let remote { try repository.git("remote", "add", "origin", remote) }
    return repository
  }

  private func text(_ path: String, in repository: TestRepository) throws -> String {
    try repository.folder.text(path)
  }

  @Test func `a project with a Makefile gets files by which it is measured and compared`() throws {
    let repository = try project()
    let result = repository.perfkit("init")
    #expect(result.status == .done, "\(result.errors)")
    #expect(result.output.hasPrefix("wrote  perfkit.yml\nwrote  Scenarios/work.yml\n"))
    #expect(result.output.contains("added  3 lines to .gitignore"))
    #expect(result.output.contains("perfkit run work"))
    #expect(result.prints("git add perfkit.yml Scenarios .gitignore && git commit"))
    #expect(result.wideLines == [])
    #expect(
      try text(".gitignore", in: repository)
        == "work\n.perfkit/\n/Reports/*\n!/Reports/decisions/\n!/Reports/baselines/\n")
    try repository.commit("Measure")
    let measured = repository.perfkit(
      "diff", "HEAD", "WORKTREE", "--no-profile", "--no-report")
    #expect(measured.status == .done, "\(measured.errors)")
    #expect(measured.prints("same program"), "\(measured.output)")
  }

  @Test(arguments: [(program: "./nothere", isNamed: true), ("sleep", false)])
  func `a program that does not exist yet is named`(program: String, isNamed: Bool) throws {
    let folder = try TemporaryFolder()
    let result = TestCommand(in: folder)("init", "--", program, "0")
    #expect(result.status == .done, "\(result.errors)")
    #expect(
      result.prints(
        "There is no program './nothere' yet. Build it, or correct the command in "
          + "Scenarios/nothere.yml.") == isNamed, "\(result.output)")
  }

  @Test(arguments: [
    (command: ["./work", "3"], line: "/work\n"), (command: ["bin/work"], line: "/bin/work\n"),
    (command: ["./measure.sh"], line: ""), (command: ["sort", "work.c"], line: ""),
    (command: ["/usr/bin/sort", "work.c"], line: ""),
  ])
  func `git ignores the program that a Makefile builds, so that a comparison builds it again`(
    command: [String], line: String
  ) throws {
    let repository = try TestRepository(ignored: ".perfkit/")
    try FileManager.default.removeItem(atPath: repository.root + "/Scenarios")
    try repository.write("Makefile", "all:\n\tcc -o work work.c\n")
    try repository.write("measure.sh", "#!/bin/sh\nexit 0\n")
    let result = repository.perfkit.run(["init", "--"] + command)
    #expect(result.status == .done, "\(result.errors)")
    #expect(
      try text(".gitignore", in: repository)
        == ".perfkit/\n/Reports/*\n!/Reports/decisions/\n!/Reports/baselines/\n" + line)
  }

  @Test func `three commands lead from a new project to the verdict of a gate`() throws {
    let repository = try project()
    #expect(repository.perfkit("init").status == .done)
    try repository.commit("Measure")
    // The user's change makes half of the work twice, which exceeds the margin of 2 % by far.
    try repository.program(decode: 20, layout: 40)
    let gate = repository.perfkit("gate", "--against", "HEAD", "--no-profile")
    #expect(gate.status == .gateFailed, "\(gate.output)\(gate.errors)")
    #expect(gate.prints("The gate failed: work:default"), "\(gate.output)")
  }

  @Test func `existing files are kept`() throws {
    let repository = try project()
    _ = repository.perfkit("init")
    try repository.write("perfkit.yml", "build: [make, work]\n")
    let again = repository.perfkit("init")
    #expect(again.status == .done)
    #expect(again.output.contains("kept   perfkit.yml, which exists with another text\n"))
    #expect(again.output.contains("kept   Scenarios/work.yml, which exists\n"))
    #expect(!again.output.contains("added"))
    #expect(try text("perfkit.yml", in: repository) == "build: [make, work]\n")
  }

  @Test(arguments: [("perf", "../work"), ("perf/cases", "../../work")])
  func `the scenario is written to the folder that an existing perfkit.yml names`(
    place: String, program: String
  ) throws {
    let repository = try project()
    try repository.write("perfkit.yml", "build: [make, work]\nscenarios: \(place)\n")
    let result = repository.perfkit("init")
    #expect(result.status == .done, "\(result.errors)")
    #expect(result.output.contains("wrote  \(place)/work.yml\n"), "\(result.output)")
    #expect(try text("\(place)/work.yml", in: repository).contains("command: [\(program)]\n"))
    #expect(result.prints("perfkit run work --scenarios \(place)"), "\(result.output)")
    #expect(!FileManager.default.fileExists(atPath: repository.root + "/Scenarios"))
    try repository.commit("Measure")
    let gate = repository.perfkit("gate", "--dry-run")
    #expect(gate.status == .done, "\(gate.errors)")
  }

  @Test func `an invalid perfkit.yml is an error before any file is written`() throws {
    let repository = try project()
    try repository.write("perfkit.yml", "scenarios: [1\n")
    let result = repository.perfkit("init")
    #expect(result.status == .failed)
    #expect(result.says("perfkit.yml"), "\(result.errors)")
    #expect(result.output == "")
  }

  @Test func `a .gitignore that cannot be read is kept as it is, and is an error`() throws {
    let repository = try project()
    // In ISO 8859-1, 0xE9 is é.
    let ignored = Data("caf".utf8) + [0xE9, UInt8(ascii: "\n")]
    try ignored.write(to: URL(fileURLWithPath: repository.root + "/.gitignore"))
    let result = repository.perfkit("init")
    #expect(result.status == .failed)
    #expect(result.says(".gitignore': it cannot be read, or is not UTF-8"), "\(result.errors)")
    #expect(result.output.contains("wrote  perfkit.yml"))
    #expect(FileManager.default.contents(atPath: repository.root + "/.gitignore") == ignored)
  }

  @Test(arguments: [
    ("git@github.com:shelf/books.git", ".github/workflows/perfkit.yml"),
    ("https://gitlab.example.org/shelf/books.git", ".gitlab-ci.yml"),
    ("https://gitlab.com/github-tools/books.git", ".gitlab-ci.yml"),
    ("ssh://git@gitlab.example.org:2222/github/books.git", ".gitlab-ci.yml"),
    ("https://gitlab:token@github.example.org/books.git", ".github/workflows/perfkit.yml"),
  ])
  func `the host of the remote chooses the file of the CI`(remote: String, path: String) throws {
    let repository = try project(remote: remote)
    let result = repository.perfkit("init")
    #expect(result.output.contains("wrote  \(path)"))
    let written = try text(path, in: repository)
    #expect(written.contains("perfkit gate --against"))
    #expect(!written.contains("Copy this"))
    #expect(result.prints("The job in \(path) needs perfkit in PATH"), "\(result.output)")
    #expect(result.wideLines == [])
    #expect(!repository.perfkit("init").prints(path + " does not call"))
  }

  @Test func `an existing file of the CI without a gate is kept, and its job is named`() throws {
    let repository = try project(remote: "https://gitlab.example.org/shelf/books.git")
    try repository.write(".gitlab-ci.yml", "test:\n  script: [make]\n")
    let result = repository.perfkit("init")
    #expect(result.output.contains("kept   .gitlab-ci.yml, which exists"))
    let source = "Sources/Programs/perfkit/Resources/gitlab.yml"
    #expect(
      result.prints(".gitlab-ci.yml does not call `perfkit gate`. Add the job of \(source)"),
      "\(result.output)")
    #expect(
      FileManager.default.fileExists(atPath: DocumentFile.root.appendingPathComponent(source).path))
    #expect(!result.prints("needs perfkit in PATH"))
    #expect(try text(".gitlab-ci.yml", in: repository) == "test:\n  script: [make]\n")
  }

  @Test func `a repository without commits gets its files, and a comparison asks for a commit`()
    throws
  {
    let repository = try project()
    try FileManager.default.removeItem(atPath: repository.root + "/.git")
    try repository.git("init", "--quiet")
    let result = repository.perfkit("init")
    #expect(result.status == .done, "\(result.errors)")
    #expect(result.output.hasPrefix("wrote  perfkit.yml\nwrote  Scenarios/work.yml\n"))
    #expect(result.prints("git add --all && git commit"), "\(result.output)")
    #expect(!result.prints("is no git repository"))
    let compared = repository.perfkit("diff", "HEAD", "WORKTREE")
    #expect(compared.status == .failed)
    #expect(compared.says("has no commits yet. Make a first commit."), "\(compared.errors)")
  }

  @Test(arguments: ["tools", "tools/books"])
  func `a folder below the root of a repository gets no file of the CI, and the reason`(
    place: String
  ) throws {
    let repository = try project(remote: "git@github.com:shelf/books.git")
    try repository.write("\(place)/Makefile", "PROG = work\n\nwork: work.c\n\tcc -o work work.c\n")
    let result = repository.perfkit.run(["init"], below: place)
    #expect(result.status == .done, "\(result.errors)")
    #expect(result.output.contains("wrote  perfkit.yml"))
    #expect(
      result.prints(
        "No CI file was written: .github/workflows/perfkit.yml belongs in the root of the repository, "
          + "and this folder is '\(place)' in it."), "\(result.output)")
    #expect(result.wideLines == [])
    for folder in ["", "/\(place)"] {
      #expect(!FileManager.default.fileExists(atPath: "\(repository.root)\(folder)/.github"))
    }
    let document = try repository.perfkit.run(["init", "--format", "json"], below: place).json()
    #expect((document["notes"] as? [String])?.count == 1)
  }

  @Test(arguments: ["/srv/github/books.git", "https://example.org/gitlab/books.git"])
  func `other remotes get no file of a CI, which is reported`(remote: String) throws {
    let repository = try project(remote: remote)
    #expect(repository.perfkit("init").prints("No remote of GitHub or GitLab"))
  }

  @Test func `a repository that git refuses gets no file of the CI, and git's reason`() throws {
    let repository = try project(remote: "git@github.com:shelf/books.git")
    // Like the repository of another user, it is refused for every command.
    let result = repository.perfkit("init", variables: ["GIT_CONFIG_COUNT": "many"])
    #expect(result.status == .done, "\(result.errors)")
    #expect(result.prints("No CI file was written: `git rev-parse --show-toplevel` failed"))
    #expect(result.prints("bogus count in GIT_CONFIG_COUNT"), "\(result.output)")
    #expect(!result.prints("is no git repository"))
  }

  @Test func `a folder without a program needs a command`() throws {
    let command = TestCommand(in: try TemporaryFolder())
    let missing = command("init")
    #expect(missing.status == .usage)
    #expect(missing.says("cannot find a program to measure in this folder"))
    #expect(missing.says("'perfkit init -- COMMAND'"))
    let given = command("init", "--", "sleep", "0.01")
    #expect(given.status == .done, "\(given.errors)")
    #expect(given.prints("is no git repository"))
    let run = command("run", "sleep", "--iterations", "1", "--no-report", "--no-profile")
    #expect(run.status == .done, "\(run.errors)")
  }

  @Test func `a Swift library gets a worker whose workload compiles`() throws {
    let folder = try TemporaryFolder()
    try #"Package(name: "Shelf", products: [.library(name: "Shelf", targets: ["Shelf"])])"#
      .write(toFile: folder("Package.swift"), atomically: true, encoding: .utf8)
    let result = TestCommand(in: folder)("init")
    #expect(result.status == .done, "\(result.errors)")
    let manifest = try String(contentsOfFile: folder("Workloads/Package.swift"), encoding: .utf8)
    #expect(manifest.contains(#".package(name: "Shelf", path: "..")"#))
    #expect(manifest.contains(#".product(name: "PerfWorkload", package: "#))
    #expect(manifest.contains(DocumentFile.root.path))
    #expect(
      result.prints("Workloads/Package.swift names '\(DocumentFile.root.path)' of this machine."),
      "\(result.output)")
    let source = try String(
      contentsOfFile: folder("Workloads/Sources/Workloads/First.swift"), encoding: .utf8)
    #expect(source.hasPrefix("import Shelf\nimport PerfWorkload\n"))
    for text in [manifest, source.replacing("import Shelf\n", with: "")] {
      #expect(try DocumentTests.errors(compiling: text) == "")
    }
    let unbuilt = TestCommand(in: folder)("run", "first", "--no-report")
    #expect(unbuilt.status == .failed)
    let build = "swift build --package-path Workloads -c release -Xswiftc -g"
    #expect(
      unbuilt.says("Build it with `\(build)` in '\(folder.path)', or "), "\(unbuilt.errors)")
  }

  @Test func `the worker of a library that depends on PerfKit has the same dependency`() throws {
    let folder = try TemporaryFolder()
    let library = """
      Package(
        name: "Shelf", products: [.library(name: "Shelf", targets: ["Shelf"])],
        dependencies: [.package(url: "https://example.org/perfkit.git", from: "0.1.0")])
      """
    try library.write(toFile: folder("Package.swift"), atomically: true, encoding: .utf8)
    let result = TestCommand(in: folder)("init")
    #expect(result.status == .done, "\(result.errors)")
    #expect(!result.prints("of this machine"))
    let manifest = try folder.text("Workloads/Package.swift")
    #expect(manifest.contains(#".package(url: "https://example.org/perfkit.git", from: "0.1.0")"#))
    #expect(manifest.contains(#".product(name: "PerfWorkload", package: "perfkit")"#))
    #expect(try DocumentTests.errors(compiling: manifest) == "")
  }

  /// Expects an error about the first file, after `init` in a folder.
  private func expectRefusal(_ result: TestCommand.Result, in folder: String) {
    #expect(result.status == .failed)
    #expect(result.says("cannot write '\(folder)/perfkit.yml'"), "\(result.errors)")
    #expect(result.says("Correct this, or call init in another folder."))
    #expect(!result.output.contains("wrote"))
  }

  @Test func `a folder of the kernel is an error with the path of the first file`() throws {
    let folder = try TemporaryFolder()
    // Root cannot write there either.
    try FileManager.default.createSymbolicLink(
      atPath: folder("kernel"), withDestinationPath: "/proc")
    let result = TestCommand(in: folder).run(["init", "--", "ls"], below: "kernel")
    expectRefusal(result, in: folder("kernel"))
  }

  @Test(.enabled(if: geteuid() != 0, "root can write everywhere"))
  func `a folder without the right to write is an error with the path of the first file`() throws {
    let folder = try TemporaryFolder()
    let files = FileManager.default
    try files.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.path)
    // The folder is removed after the test.
    defer { try? files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path) }
    expectRefusal(TestCommand(in: folder)("init", "--", "ls"), in: folder.path)
  }

  @Test func `a file that cannot be written is an error with its path`() throws {
    let folder = try TemporaryFolder()
    try "".write(toFile: folder("Scenarios"), atomically: true, encoding: .utf8)
    let result = TestCommand(in: folder)("init", "--", "ls")
    #expect(result.status == .failed)
    #expect(result.says("Scenarios/ls.yml"))
    #expect(result.says("Correct this, or call init in another folder."))
  }
}
