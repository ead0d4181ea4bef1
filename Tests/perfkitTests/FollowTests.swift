import Foundation
import Glibc
import PerfTestSupport
import Testing

@testable import perfkit

/// `perfkit record --follow` over programs that start others.
@Suite(.serialized) struct FollowTests {
  /// Uses the CPU for long enough to be sampled.
  private static let burn = "i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done"

  /// A command in whose folder the shell stands under other names, since a process's threads are told
  /// by its program.
  private func command(_ names: String...) throws -> TestCommand {
    let perfkit = try TestCommand()
    let shell = URL(fileURLWithPath: "/bin/sh").resolvingSymlinksInPath().path
    for name in names {
      try FileManager.default.copyItem(atPath: shell, toPath: perfkit.folder(name))
    }
    return perfkit
  }

  /// The threads that have samples, by the error that names them all.
  private func threads(_ perfkit: TestCommand) -> [String] {
    let text = perfkit("flamegraph", "latest", "--thread", "nobody", "--output", "x.svg").errors
    let list = text.split(separator: "it has ").last?.split(separator: "\n").first ?? ""
    return list.split(separator: ", ").map { String($0) }.sorted()
  }

  private func script(_ perfkit: TestCommand, _ name: String) -> String {
    "\(perfkit.folder(name)) -c '\(Self.burn)'"
  }

  @Test func `all programs of a script are sampled, one after and beside the other`() throws {
    let perfkit = try command("first", "second", "third")
    let script =
      "\(script(perfkit, "first")); \(script(perfkit, "second")) & \(script(perfkit, "third")); wait"
    let result = perfkit("record", "--no-report", "--follow", "--", "/bin/sh", "-c", script)
    #expect(result.status == .done)
    let threads = threads(perfkit)
    for name in ["first", "second", "third"] { #expect(threads.contains("\(name) (child)")) }
    #expect(result.errors.contains("launches  1 measured"))
    #expect(!result.errors.contains("outlived"))
    // As a graph of one program's processes.
    #expect(
      perfkit(
        "flamegraph", "latest", "--thread", "second (child)", "--output", perfkit.folder("f.svg")
      ).status == .done)
    #expect(
      perfkit("export", "latest", "--to", "firefox", "--output", perfkit.folder("f.json")).status
        == .done)
  }

  @Test func `children are left alone unless they are asked for`() throws {
    let perfkit = try command("first")
    let result = perfkit(
      "record", "--no-report", "--", "/bin/sh", "-c", script(perfkit, "first") + "; " + Self.burn)
    #expect(result.status == .done)
    #expect(threads(perfkit).allSatisfy { !$0.contains("child") })
  }

  @Test func `a child that goes on with its parent's program is sampled`() throws {
    let perfkit = try command("parent")
    let result = perfkit(
      "record", "--no-report", "--follow", "--", perfkit.folder("parent"), "-c",
      "(\(Self.burn)); true")
    #expect(result.status == .done)
    #expect(threads(perfkit).contains("parent (child)"))
  }

  @Test func `a child whose first thread ends before the others ends with the last one`() throws {
    let perfkit = try TestCommand()
    try """
    #include <pthread.h>
    #include <stdio.h>
    #include <sys/wait.h>
    #include <unistd.h>
    __attribute__((noinline)) static long spin(long n) {
      volatile long x = 0;
      while (n--) x += n;
      return x;
    }
    static void *before(void *unused) { spin(100000000); return unused; }
    static void *behind(void *unused) { spin(400000000); printf("worked, "); return unused; }
    int main(int count, char **words) {
      pid_t child = fork();
      int status = 0;
      if (child != 0) return waitpid(child, &status, 0) == child ? status : 3;
      pthread_t thread;
      if (count > 1) before(NULL);
      pthread_create(&thread, NULL, behind, NULL);
      printf("began, ");
      pthread_exit(NULL);
    }
    __attribute__((destructor)) static void end(void) { printf("ended\\n"); }
    """.write(toFile: perfkit.folder("forks.c"), atomically: true, encoding: .utf8)
    try perfkit.compile("forks.c", "-o", "forks", "-lpthread")
    // Where it ends at once, nobody has decided yet whether it is followed.
    for words in [[], ["late"]] {
      let result = perfkit.run(
        [
          "record", "--no-report", "--follow", "--", "/bin/sh", "-c",
          "exec \"$0\" \"$@\" > \(perfkit.folder("out.txt"))", perfkit.folder("forks"),
        ] + words)
      #expect(result.status == .done, "\(result.errors)")
      #expect(!result.errors.contains("exited with"))
      // The parent has an end as well.
      #expect(
        try String(contentsOfFile: perfkit.folder("out.txt"), encoding: .utf8)
          == "began, worked, ended\nended\n")
      // What works behind the first thread's end is sampled, or a machine that was too busy to follow the
      // child says so.
      let stacks = try LatestProfile(perfkit).stacks
      #expect(
        stacks.samples { $0.contains(";behind;") } > 0
          || result.says("of CPU time that the program's processes took"),
        "\(stacks.lines) \(result.errors)")
    }
  }

  @Test func `children of children are sampled`() throws {
    let perfkit = try command("child", "grandchild")
    let inner = perfkit.folder("inner")
    try "\(script(perfkit, "grandchild")); true".write(
      toFile: inner, atomically: true, encoding: .utf8)
    let result = perfkit(
      "record", "--no-report", "--follow", "--", "/bin/sh", "-c",
      "\(perfkit.folder("child")) \(inner); true")
    #expect(result.status == .done)
    #expect(threads(perfkit).contains("grandchild (child)"))
  }

  @Test func `any signal follows children`() throws {
    let perfkit = try command("first")
    let result = perfkit(
      "record", "--no-report", "--follow", "--signal", "USR2", "--", "/bin/sh", "-c",
      script(perfkit, "first") + "; (\(Self.burn)); true")
    #expect(result.status == .done)
    #expect(threads(perfkit).contains("first (child)"))
  }

  @Test func `two hundred children leave no descriptor behind`() throws {
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
      "record", "--no-report", "--follow", "--", "/bin/sh", "-c",
      "i=0; while [ $i -lt 200 ]; do /bin/true; i=$((i+1)); done; " + script(perfkit, "last"))
    #expect(result.status == .done)
    // A busy machine may be late for some of them.
    #expect(!result.errors.contains("there were 64 others"))
    #expect(threads(perfkit).contains("last (child)"))
    // Other tests run beside this one, each with a segment or two.
    #expect(try descriptors() < before + 20)
  }

  @Test func `a child that outlives the program is not waited for, and is told`() throws {
    let perfkit = try command("daemon")
    let pid = perfkit.folder("pid")
    let result = perfkit(
      "record", "--no-report", "--follow", "--", "/bin/sh", "-c",
      // It has 20 s of CPU time, should nobody kill it, and keeps nobody waiting for its output.
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
