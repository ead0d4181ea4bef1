import Foundation
import Glibc
import PerfGate
import PerfStore
import PerfTestSupport
import Testing

@testable import perfkit

/// What is stored of command lines and of the environment, and who may read it.
struct SecretTests {
  private static let secret = "hunter2"

  /// Returns the files below a folder that contain the secret, in their names or in their bytes.
  private func leaks(in folder: String, except names: Set<String> = []) throws -> [String] {
    let files = try #require(FileManager.default.enumerator(atPath: folder))
    var found: [String] = []
    for case let name as String in files where !names.contains(name) {
      let content = FileManager.default.contents(atPath: "\(folder)/\(name)") ?? Data()
      if name.contains(Self.secret) || content.range(of: Data(Self.secret.utf8)) != nil {
        found.append(name)
      }
    }
    return found
  }

  @Test(arguments: [
    [
      "run", "--iterations", "1", "--warmup", "0", "--prepare", "true hunter2", "--", "sh", "-c",
      "echo with hunter2 >&2; exit 3", "hunter2",
    ],
    ["run", "--iterations", "1", "--warmup", "0", "--label", "hunter2", "--", "true", "hunter2"],
    [
      "record", "--engine", "signal", "--", "sh", "-c",
      "i=0; while [ $i -lt 99999 ]; do i=$((i+1)); done",
      "hunter2",
    ],
    [
      "diff", "--max-time", "1ns", "--no-profile", "--", "true", "hunter2", "1", "--", "true",
      "hunter2",
      "2",
    ],
  ])
  func `a redacted word of a command line is in no file and no message`(words: [String]) throws {
    let command = try TestCommand()
    let result = command.run([words[0], "--redact", "hunt..2"] + words.dropFirst())
    #expect([PerfGate.ExitStatus.done, .failed].contains(result.status), "\(result.errors)")
    #expect(
      try RunStore(path: command.folder(".perfkit/perfkit.sqlite"), access: .reading).headers()
        .count > 0)
    #expect(try leaks(in: command.folder.path) == [])
    #expect(!result.errors.contains(Self.secret), "\(result.errors)")
    #expect(!result.output.contains(Self.secret), "\(result.output)")
    let exported = command("show", "latest", "--format", "json")
    #expect(exported.status == .done)
    #expect(!exported.output.contains(Self.secret))
    #expect(exported.output.contains("[redacted]"))
  }

  @Test func `a redacted word is not in the message of a failed hook`() throws {
    let result = try TestCommand()(
      "run", "--redact", "hunter2", "--prepare", "sh -c 'echo hunter2 >&2; exit 4'", "--", "true")
    #expect(result.status == .failed)
    #expect(result.says("exited with 4. Its last output: [redacted]"), "\(result.errors)")
    #expect(!result.errors.contains(Self.secret), "\(result.errors)")
  }

  @Test func `a redacted word is not in the verdict and the messages of a gate`() throws {
    let command = try TestCommand()
    try command.scenario(
      "fails",
      """
      scenario: fails
      summary: Prints a secret.
      command: [/bin/sh, -c, "echo hunter2 >&2; exit 3"]
      variants: { plain: {} }
      default_variant: plain
      iterations: 1
      warmup: 0
      budgets: [wall <= 5 s]
      """)
    let result = command(
      "gate", "fails", "--budgets-only", "--redact", "hunter2", "--junit", "junit.xml", "--comment",
      "comment.md", "--github")
    #expect(result.status != .done)
    #expect(result.errors.contains("[redacted]"), "\(result.errors)")
    #expect(!result.errors.contains(Self.secret), "\(result.errors)")
    #expect(FileManager.default.fileExists(atPath: command.folder("junit.xml")))
    #expect(try leaks(in: command.folder.path, except: ["Scenarios/fails.yml"]) == [])
  }

  @Test func `values of environment variables are in no file`() throws {
    let command = try TestCommand()
    for name in ["a", "b"] {
      try command.scenario(
        name,
        """
        scenario: \(name)
        summary: Has a variable.
        command: [/bin/true, \(name)]
        variants: { one: {}, two: {} }
        default_variant: one
        environment: { TOKEN: hunter2 }
        iterations: 1
        warmup: 0
        """)
    }
    #expect(command("run", "a", "--no-profile").status == .done)
    let pairs = command(
      "diff", "--scenario", "b", "--variant", "one", "--variant", "two", "--max-time", "1ns",
      "--no-profile", "--measure-same")
    #expect(pairs.status == .done, "\(pairs.errors)")
    #expect(
      try leaks(in: command.folder.path, except: ["Scenarios/a.yml", "Scenarios/b.yml"]) == [])
  }

  /// Swift's parser would overflow the stack for the last pattern.
  @Test(arguments: ["(", "x*", String(repeating: "[", count: 10_000)])
  func `a pattern that cannot be used is wrong usage`(pattern: String) throws {
    let result = try TestCommand()("run", "--redact", pattern, "--", "true")
    #expect(result.status == .usage)
    #expect(result.says("--redact: '\(pattern)'"), "\(result.errors)")
  }

  @Test func `a run with redacted words is resumed by its whole command line`() throws {
    let command = try TestCommand()
    let words = ["--redact", "hunter2", "--", "sh", "-c", "echo x >> log", "hunter2"]
    let options = ["run", "--iterations", "4", "--warmup", "0", "--no-profile", "--no-report"]
    @Sendable func lines() -> Int {
      (try? String(contentsOfFile: command.folder("log"), encoding: .utf8))?.count { $0 == "\n" }
        ?? 0
    }
    let stopped = command.run(options + words, cancellation: Cancellation { lines() >= 2 })
    #expect(stopped.status == .interrupted, "\(stopped.errors)")
    let alone = command("run", "--resume")
    #expect(alone.status == .failed)
    #expect(alone.says("Repeat the whole command line with --resume"), "\(alone.errors)")
    let result = command.run(options + ["--resume"] + words)
    #expect(result.status == .done, "\(result.errors)")
    let store = try RunStore(path: command.folder(".perfkit/perfkit.sqlite"), access: .reading)
    #expect(try store.headers().map(\.completed) == [4])
    #expect(try leaks(in: command.folder(".perfkit")) == [])
  }

  /// Returns the permissions of a file.
  private func mode(_ path: String) -> mode_t {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
  }

  @Test func `the store and its copies are for their user alone`() throws {
    let command = try TestCommand()
    #expect(command("run", "--iterations", "1", "--warmup", "0", "--", "true").status == .done)
    #expect(mode(command.folder(".perfkit")) == 0o700)
    #expect(mode(command.folder(".perfkit/scratch")) == 0o700)
    #expect(mode(command.folder(".perfkit/perfkit.sqlite")) == 0o600)
    // While it is open, the store has further files.
    let store = try RunStore(path: command.folder(".perfkit/perfkit.sqlite"))
    _ = try store.headers()
    for ending in ["-wal", "-shm"] {
      #expect(mode(command.folder(".perfkit/perfkit.sqlite\(ending)")) == 0o600, "\(ending)")
    }
    try store.backUp(to: command.folder("backup.sqlite"))
    _ = try store.export(to: command.folder("export.sqlite"))
    #expect(mode(command.folder("backup.sqlite")) == 0o600)
    #expect(mode(command.folder("export.sqlite")) == 0o600)
    // A file that exists keeps its permissions.
    chmod(command.folder("export.sqlite"), 0o640)
    _ = try RunStore(path: command.folder("export.sqlite"))
    #expect(mode(command.folder("export.sqlite")) == 0o640)
  }

  /// Whether a program that is owned by another user runs with that user's rights.
  private static let canChangeUser: Bool = {
    var system = statvfs()
    // ST_NOSUID.
    return geteuid() == 0 && statvfs(NSTemporaryDirectory(), &system) == 0 && system.f_flag & 2 == 0
  }()

  @Test(.enabled(if: canChangeUser))
  func `variables are ignored in a program with other rights than its caller`() throws {
    let command = try TestCommand()
    try """
    #include <stdio.h>
    #include "perf_environment.h"
    int main(void) {
      const char *value = perf_environment("PERFKIT_SEGMENT_FD");
      puts(value ? value : "none");
    }
    """.write(toFile: command.folder("reads.c"), atomically: true, encoding: .utf8)
    let headers = DocumentFile.root.appendingPathComponent("Sources/Agent/CPerfFormat/include").path
    try command.compile("-I", headers, "-Wno-nullability-extension", "-o", "reads", "reads.c")
    func read() throws -> String {
      let process = Process()
      let pipe = Pipe()
      process.executableURL = URL(fileURLWithPath: command.folder("reads"))
      process.environment = ["PERFKIT_SEGMENT_FD": "4"]
      process.standardOutput = pipe
      try process.run()
      process.waitUntilExit()
      return String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }
    #expect(try read() == "4\n")
    // The user nobody.
    try #require(chown(command.folder("reads"), 65534, 65534) == 0)
    try #require(chmod(command.folder("reads"), 0o4755) == 0)
    chmod(command.folder.path, 0o755)
    #expect(try read() == "none\n")
  }

  private static let withoutRights = [
    "setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--no-new-privs",
    "--bounding-set=-all",
  ]

  /// Whether a user without rights may execute the command, which is below folders of other users.
  private static let canDropRights: Bool = {
    let program = TestPrograms.folder + "/perfkit"
    return geteuid() == 0 && TestCommand.hasTool("setpriv")
      && (try? DocumentTests.run(Self.withoutRights + [program, "--version"]).status) == 0
  }()

  /// As in a container: a user without a home, without a folder for temporary files, and without capabilities.
  @Test(.enabled(if: canDropRights))
  func `a user without capabilities and writable home measures and stores`() throws {
    let folder = try TemporaryFolder()
    try #require(chown(folder.path, 65534, 65534) == 0)
    let command =
      [
        "-C", folder.path, "HOME=/", "TMPDIR=/", "PATH=/usr/bin:/bin",
      ] + Self.withoutRights + ["\(TestPrograms.folder)/perfkit"]
    let run = try DocumentTests.run(
      command + ["run", "--iterations", "2", "--warmup", "0", "--no-report", "--", "true"])
    #expect(run.status == 0, "\(run.output)")
    #expect(run.output.contains("wall"), "\(run.output)")
    let check = try DocumentTests.run(command + ["store", "check"])
    #expect(check.status == 0, "\(check.output)")
    // A store of another user in a folder for that user alone.
    try #require(chown(folder(".perfkit"), 0, 0) == 0 && chmod(folder(".perfkit"), 0o700) == 0)
    let list = try DocumentTests.run(command + ["list", "runs"])
    #expect(list.status == 2 && list.output.contains("permission denied for its folder"))
  }
}
