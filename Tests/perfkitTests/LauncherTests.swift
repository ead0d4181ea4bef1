import ArgumentParser
import Foundation
import PerfGate
import PerfScenario
import PerfTestSupport
import Testing

@testable import perfkit

/// The files of `Scripts/launchers`, whose commands are run without their services.
struct LauncherTests {
  private static let folder = DocumentFile.root.appendingPathComponent("Scripts/launchers")

  private static func text(_ name: String) throws -> String {
    try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
  }

  private static func yaml(_ text: String) throws -> YAMLNode {
    try YAMLNode.read(text, file: "launcher") { node throws(ScenarioError) -> YAMLNode in node }
  }

  private static func yaml(launcher name: String) throws -> YAMLNode { try yaml(text(name)) }

  /// A repository whose last commit does not change the program, with the base as `origin/main`.
  private static func repository() throws -> TestRepository {
    let repository = try TestRepository()
    try repository.git("update-ref", "refs/remotes/origin/main", "HEAD")
    try repository.write("notes", "A commit that does not change the program.")
    try repository.commit("Notes")
    return repository
  }

  /// Runs a script by bash, with the built programs in PATH.
  private static func run(
    _ words: String..., in folder: String, _ variables: [String: String]
  ) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = words
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    // A cache in the repository would count as a change.
    let home = FileManager.default.temporaryDirectory.path
    process.environment = ["PATH": "\(TestCommand.programs):\(path)", "HOME": home]
      .merging(variables) { _, own in own }
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }

  /// Moves the file of a shard to another folder, as a CI system does.
  private static func move(
    shard number: Int, from repository: TestRepository, to folder: String
  ) throws {
    let name = "gate-shard-\(number)-of-4.json"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true)
    try FileManager.default.moveItem(
      atPath: "\(repository.root)/.perfkit/\(name)", toPath: "\(folder)/\(name)")
  }

  @Test func `the GitHub matrix measures every shard, and its last job joins them`() throws {
    let file = try Self.yaml(launcher: "github-shards.yml")
    let shard = try #require(file["jobs"]?["shard"])
    #expect(shard["strategy"]?["matrix"]?["shard"]?.items.map(\.text) == ["1", "2", "3", "4"])
    let step = try #require(shard["steps"]?.items.first { $0["name"]?.text == "Shard" })
    #expect(step["env"]?["SHARD"]?.text == "${{ matrix.shard }}/${{ strategy.job-total }}")
    let upload = try #require(shard["steps"]?.items.last?["with"])
    #expect(upload["path"]?.text == ".perfkit/gate-shard-*.json")
    #expect(upload["include-hidden-files"]?.text == "true")
    let gate = try #require(file["jobs"]?["gate"])
    #expect(gate["needs"]?.text == "shard")
    let steps = gate["steps"]?.items ?? []
    #expect(steps.contains { $0["with"]?["path"]?.text == "shards" })
    let join = try #require(steps.first { $0["name"]?.text == "Gate" }?["run"]?.text)

    let script = try #require(step["run"]?.text)
    let repository = try Self.repository()
    let collecting = try TemporaryFolder()
    for number in 1...4 {
      let result = try Self.run(
        "-ec", script, in: repository.root, ["GITHUB_BASE_REF": "main", "SHARD": "\(number)/4"])
      #expect(result.status == 0, "\(result.output)")
      try Self.move(
        shard: number, from: repository, to: collecting("shards/perfkit-shard-\(number)"))
    }
    let summary = ["GITHUB_STEP_SUMMARY": collecting("summary.md")]
    let joined = try Self.run("-ec", join, in: collecting.path, summary)
    #expect(joined.status == 0, "\(joined.output)")
    func comment() throws -> String {
      try String(contentsOfFile: collecting("comment.md"), encoding: .utf8)
    }
    #expect(try comment().hasPrefix("\(GateDigest.marker)\n### ✅ The gate passed"))
    try FileManager.default.removeItem(atPath: collecting("shards/perfkit-shard-2"))
    #expect(try Self.run("-ec", join, in: collecting.path, summary).status == 3)
    #expect(try comment().contains("shard 2 of 4 (missing)"))
    // After a usage error there are no results, so that the job fails.
    let wrong = try Self.run(
      "-ec", script, in: repository.root, ["GITHUB_BASE_REF": "main", "SHARD": "5/4"])
    #expect(wrong.status == 64, "\(wrong.output)")
  }

  @Test func `the parallel GitLab job measures every shard, and the next job joins them`() throws {
    let file = try Self.yaml(launcher: "gitlab-shards.yml")
    let shard = try #require(file["perfkit-shard"])
    #expect(shard["parallel"]?.text == "4")
    #expect(shard["artifacts"]?["paths"]?.items.map(\.text) == [".perfkit/gate-shard-*.json"])
    #expect(file["perfkit"]?["needs"]?.items.map(\.text) == ["perfkit-shard"])
    #expect(file["perfkit"]?["rules"]?.items.first?["when"]?.text == "always")
    let script = try #require(shard["script"]?.items.first?.text)
    let join = try #require(file["perfkit"]?["script"]?.items.first?.text)
    let repository = try Self.repository()
    for number in 1...4 {
      let result = try Self.run(
        "-e", "-o", "pipefail", "-c", script, in: repository.root,
        [
          "CI_NODE_INDEX": "\(number)", "CI_NODE_TOTAL": "4",
          "CI_MERGE_REQUEST_DIFF_BASE_SHA": "origin/main",
        ])
      #expect(result.status == 0, "\(result.output)")
    }
    func joined() throws -> (status: Int32, output: String) {
      try Self.run("-e", "-o", "pipefail", "-c", join, in: repository.root, [:])
    }
    let whole = try joined()
    #expect(whole.status == 0, "\(whole.output)")
    #expect(whole.output.contains("PERFKIT_TOKEN is not set; see the artifact comment.md"))
    try FileManager.default.removeItem(
      atPath: repository.root + "/.perfkit/gate-shard-3-of-4.json")
    #expect(try joined().status == 3)
  }

  /// The comments of the files that `perfkit init` writes are tested in `ContinuousIntegrationTests`.
  @Test func `the comments are written as by the files for one machine`() throws {
    let resources = DocumentFile.root.appendingPathComponent("Sources/Programs/perfkit/Resources")
    func single(_ name: String) throws -> YAMLNode {
      try Self.yaml(
        String(contentsOf: resources.appendingPathComponent(name), encoding: .utf8))
    }
    func comment(_ job: YAMLNode?) -> String? {
      job?["steps"]?.items.first { $0["name"]?.text == "Comment" }?["run"]?.text
    }
    let github = try comment(single("github.yml")["jobs"]?["perfkit"])
    #expect(github != nil)
    #expect(try comment(Self.yaml(launcher: "github-shards.yml")["jobs"]?["gate"]) == github)
    func note(_ file: YAMLNode) throws -> Substring {
      let script = try #require(file["perfkit"]?["script"]?.items.first?.text)
      let start = try #require(script.range(of: "api() {"))
      return script[start.lowerBound...]
    }
    #expect(try note(Self.yaml(launcher: "gitlab-shards.yml")) == note(single("gitlab.yml")))
  }

  @Test func `the tasks of the Slurm array measure every shard, and a folder joins them`() throws {
    let text = try Self.text("slurm-gate.sh")
    // A shard has the number of its task, from 1.
    #expect(text.contains("\n#SBATCH --array=1-4\n"))
    let repository = try Self.repository()
    let path = Self.folder.appendingPathComponent("slurm-gate.sh").path
    for task in 1...2 {
      let result = try Self.run(
        path, "HEAD~1", "--no-profile", in: repository.root,
        [
          "SLURM_ARRAY_JOB_ID": "7", "SLURM_ARRAY_TASK_ID": "\(task)",
          "SLURM_ARRAY_TASK_COUNT": "2",
        ])
      #expect(result.status == 0, "\(result.output)")
    }
    // The nodes leave nothing in the repository but the results.
    #expect(try repository.git("status", "--porcelain") == "")
    #expect(try repository.git("worktree", "list").split(separator: "\n").count == 1)
    let joined = repository.perfkit("gate", "--collect", ".perfkit/shards-7")
    #expect(joined.status == .done, "\(joined.output)\(joined.errors)")
    let nameless = try Self.run(path, in: repository.root, ["SLURM_ARRAY_JOB_ID": "7"])
    #expect(nameless.status != 0)
    #expect(nameless.output.contains("name the base, e.g. main"), "\(nameless.output)")
  }

  private static let slurm = DocumentFile.root.appendingPathComponent("Scripts/slurm").path

  @Test(
    .enabled("there is no Slurm") { try run(slurm, "--check", in: "/", [:]).status == 0 })
  func `Slurm runs the tasks of the array on its node`() async throws {
    let repository = try Self.repository()
    try FileManager.default.createDirectory(
      atPath: repository.root + "/.perfkit", withIntermediateDirectories: true)
    let path = Self.folder.appendingPathComponent("slurm-gate.sh").path
    // sbatch sleeps between its looks at the job, which would keep a thread from other tests. Slurm repairs
    // a lost message within 400 s (Scripts/slurm), which leaves 200 s to the array.
    let result = try await onOwnThread {
      try Self.run(
        Self.slurm, "timeout", "600", "sbatch", "--parsable", "--wait", "--array=1-2", path,
        "HEAD~1", "--no-profile", in: repository.root, [:])
    }
    #expect(result.status == 0, "\(result.output)")
    let job = try #require(result.output.split(separator: "\n").first)
    let joined = repository.perfkit("gate", "--collect", ".perfkit/shards-\(job)")
    #expect(joined.status == .done, "\(joined.output)\(joined.errors)")
  }

  @Test func `the command of the service is valid`() throws {
    let text = try Self.text("perfkit-runner.service")
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("ExecStart=") })
    let words = line.dropFirst("ExecStart=".count).split(separator: " ").map(String.init)
    #expect(words[0] == "/usr/bin/perfkit")
    #expect(throws: Never.self) { _ = try Perfkit.parseAsRoot(Array(words.dropFirst())) }
    // The file explains each variable that the command needs.
    for word in words where word.hasPrefix("${") {
      #expect(text.contains("\n#   \(word.dropFirst(2).dropLast())="), "\(word)")
    }
  }

  @Test(.enabled(if: TestCommand.hasTool("systemd-analyze")))
  func `the service passes the check of systemd`() throws {
    let folder = try TemporaryFolder()
    // The package installs the program; the check refuses a missing one.
    let text = try Self.text("perfkit-runner.service")
      .replacing("/usr/bin/perfkit", with: "/bin/sh")
    try text.write(
      toFile: folder("perfkit-runner.service"), atomically: true, encoding: .utf8)
    let result = try Self.run(
      "-c", "systemd-analyze verify '\(folder("perfkit-runner.service"))'", in: folder.path, [:])
    // The check prints faults of this and of other units.
    #expect(!result.output.contains("perfkit-runner"), "\(result.output)")
    #expect(result.status == 0, "\(result.output)")
  }
}

extension YAMLNode {
  /// The value of a key; nil if there is none.
  fileprivate subscript(_ key: String) -> YAMLNode? {
    guard case .mapping(let members) = content else { return nil }
    return members.first { $0.key.text == key }?.value
  }

  /// The elements of a list; empty for other values.
  fileprivate var items: [YAMLNode] {
    guard case .list(let items) = content else { return [] }
    return items
  }

  /// The text of a scalar; nil for other values.
  fileprivate var text: String? {
    switch content {
    case .quoted(let text), .plain(let text): text
    case .mapping, .list: nil
    }
  }
}
