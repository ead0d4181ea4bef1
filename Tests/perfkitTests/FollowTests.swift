import Foundation
import Glibc
import PerfGate
import PerfModel
import PerfProfile
import PerfTestSupport
import Testing

@testable import perfkit

/// `perfkit record --follow` of programs that start others.
@Suite(.serialized) struct FollowTests {
  /// Uses the CPU for long enough to be sampled.
  private static let burn = "i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done"

  /// Returns a command whose folder has copies of the shell under other names: the name of a
  /// process's threads is that of its program.
  private func command(_ names: String...) throws -> TestCommand {
    let perfkit = try TestCommand()
    let shell = URL(fileURLWithPath: "/bin/sh").resolvingSymlinksInPath().path
    for name in names {
      try FileManager.default.copyItem(atPath: shell, toPath: perfkit.folder(name))
    }
    return perfkit
  }

  /// Returns the threads with samples, out of the error message that lists them.
  private func threads(_ perfkit: TestCommand) -> [String] {
    let text = perfkit("flamegraph", "latest", "--thread", "absent", "--output", "x.svg").errors
    let list = text.split(separator: "it has ").last?.split(separator: "\n").first ?? ""
    return list.split(separator: ", ").map { String($0) }.sorted()
  }

  private func script(_ perfkit: TestCommand, _ name: String) -> String {
    "\(perfkit.folder(name)) -c '\(Self.burn)'"
  }

  @Test func `all programs of a script are sampled, in sequence and in parallel`() throws {
    let perfkit = try command("first", "second", "third")
    let script =
      "\(script(perfkit, "first")); \(script(perfkit, "second")) & \(script(perfkit, "third")); wait"
    let result = perfkit(
      "record", "--all", "--no-report", "--engine", "signal", "--follow", "--", "/bin/sh", "-c",
      script)
    #expect(result.status == .done)
    let threads = threads(perfkit)
    for name in ["first", "second", "third"] { #expect(threads.contains("\(name) (child)")) }
    #expect(result.errors.contains("launches  1 measured"))
    #expect(!result.errors.contains("outlived"))
    // A flame graph of one program.
    #expect(
      perfkit(
        "flamegraph", "latest", "--thread", "second (child)", "--output", perfkit.folder("f.svg")
      ).status == .done)
    #expect(
      perfkit("export", "latest", "--to", "firefox", "--output", perfkit.folder("f.json")).status
        == .done)
  }

  @Test func `children are not sampled without the option`() throws {
    let perfkit = try command("first")
    let result = perfkit(
      "record", "--all", "--no-report", "--", "/bin/sh", "-c",
      script(perfkit, "first") + "; " + Self.burn)
    #expect(result.status == .done)
    #expect(threads(perfkit).allSatisfy { !$0.contains("child") })
  }

  @Test func `a child that continues with its parent's program is sampled`() throws {
    let perfkit = try command("parent")
    let result = perfkit(
      "record", "--all", "--no-report", "--engine", "signal", "--follow", "--",
      perfkit.folder("parent"),
      "-c",
      "(\(Self.burn)); true")
    #expect(result.status == .done)
    #expect(threads(perfkit).contains("parent (child)"))
  }

  @Test func `a child whose first thread ends early ends with its last thread`() throws {
    let perfkit = try TestCommand()
    try perfkit.compile(program: "forks.c", "-o", "forks", "-lpthread")
    // A first thread that ends at once does so before the child has got its segment.
    for words in [[], ["late"]] {
      let result = perfkit.run(
        [
          "record", "--all", "--no-report", "--engine", "signal", "--follow", "--", "/bin/sh", "-c",
          "exec \"$0\" \"$@\" > \(perfkit.folder("out.txt"))", perfkit.folder("forks"),
        ] + words)
      #expect(result.status == .done, "\(result.errors)")
      #expect(!result.errors.contains("exited with"))
      let output = try String(contentsOfFile: perfkit.folder("out.txt"), encoding: .utf8)
      // The parent prints its end as well.
      #expect(output == "began, worked, ended\nended\n")
      // A busy machine may not follow the child in time.
      #expect(
        threads(perfkit).contains("forks (child)")
          || result.says("of CPU time that the child processes used"), "\(result.errors)")
    }
  }

  @Test func `children of children are sampled`() throws {
    let perfkit = try command("child", "grandchild")
    let inner = perfkit.folder("inner")
    try "\(script(perfkit, "grandchild")); true".write(
      toFile: inner, atomically: true, encoding: .utf8)
    let result = perfkit(
      "record", "--all", "--no-report", "--engine", "signal", "--follow", "--", "/bin/sh", "-c",
      "\(perfkit.folder("child")) \(inner); true")
    #expect(result.status == .done)
    #expect(threads(perfkit).contains("grandchild (child)"))
  }

  @Test func `children are followed with any sampling signal`() throws {
    let perfkit = try command("first")
    let result = perfkit(
      "record", "--all", "--no-report", "--engine", "signal", "--follow", "--signal", "USR2", "--",
      "/bin/sh", "-c",
      script(perfkit, "first") + "; (\(Self.burn)); true")
    #expect(result.status == .done)
    #expect(threads(perfkit).contains("first (child)"))
  }

  @Test func `two hundred children leave no open descriptor`() throws {
    func descriptors() throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter { name in
        let target = try? FileManager.default.destinationOfSymbolicLink(
          atPath: "/proc/self/fd/\(name)")
        return target?.contains("perfkit-capture") == true || target?.contains("pidfd") == true
      }.count
    }
    let perfkit = try command("last")
    let before = try descriptors()
    let result = perfkit(
      "record", "--all", "--no-report", "--engine", "signal", "--follow", "--", "/bin/sh", "-c",
      "i=0; while [ $i -lt 200 ]; do /bin/true; i=$((i+1)); done; " + script(perfkit, "last"))
    #expect(result.status == .done)
    // A busy machine may answer some of them too late.
    #expect(!result.errors.contains("there were 64 others"))
    #expect(threads(perfkit).contains("last (child)"))
    // Other tests run at the same time, each with a segment or two.
    #expect(try descriptors() < before + 20)
  }

  @Test(arguments: [SamplingEngine.signal, .perf])
  func `a child that outlives the program is reported and not waited for`(
    engine: SamplingEngine
  ) throws {
    guard engine == .signal || EventSession.obstacle() == nil else { return }
    let perfkit = try command("daemon")
    let pid = perfkit.folder("pid")
    let result = perfkit(
      "record", "--all", "--no-report", "--engine", engine.rawValue, "--follow", "--", "/bin/sh",
      "-c",
      // It ends after 20 s of CPU time if it is not killed, and keeps no pipe open.
      "\(perfkit.folder("daemon")) -c 'ulimit -t 20; echo $$ > \(pid); while :; do :; done' "
        + "> /dev/null 2>&1 & "
        + "n=0; while [ ! -s \(pid) ] && [ $n -lt 3000000 ]; do n=$((n+1)); done; \(Self.burn)")
    let text = try String(contentsOfFile: pid, encoding: .utf8)
    let daemon = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    defer { kill(daemon, SIGKILL) }
    #expect(kill(daemon, 0) == 0)
    #expect(result.status == .done)
    #expect(result.errors.contains("1 of the program's processes outlived it"))
    #expect(result.errors.contains("daemon[\(daemon)]"))
    #expect(threads(perfkit).contains("daemon (child)"))
  }
}
