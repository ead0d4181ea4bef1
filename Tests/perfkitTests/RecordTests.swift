import Foundation
import Glibc
import PerfTestSupport
import Testing

@testable import perfkit

/// `perfkit record` over programs of this machine and of this package.
struct RecordTests {
  /// A program that uses the CPU for long enough to be sampled; its own name in the profile.
  private static let burner = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"

  @Test func `a recorded program is a run like any other`() throws {
    let perfkit = try TestCommand()
    let result = perfkit("record", "--label", "loop", "--", "/bin/sh", "-c", Self.burner)
    #expect(result.status == .done)
    // Standard output is the program's own.
    #expect(result.output.isEmpty)
    #expect(result.errors.contains("Hot functions"))
    #expect(FileManager.default.fileExists(atPath: perfkit.folder("Reports/sh-record.html")))
    #expect(perfkit("list", "runs").output.contains("sh:record"))
    #expect(
      perfkit("flamegraph", "loop", "--output", perfkit.folder("f.svg")).status == .done)
  }

  @Test func `a program can be sampled by another signal`() throws {
    let perfkit = try TestCommand()
    let result = perfkit(
      "record", "--no-report", "--signal", "RTMIN+3", "--", "/bin/sh", "-c", Self.burner)
    #expect(result.status == .done)
    #expect(result.errors.contains("Hot functions"))
  }

  @Test func `a program that takes the signal for itself is told how it can be sampled`() throws {
    let perfkit = try TestCommand()
    try """
    #include <signal.h>
    #include <string.h>
    #include <sys/signalfd.h>
    int main(int count, char **words) {
      volatile unsigned long x = 0;
      sigset_t set;
      if (strcmp(words[1], "own") == 0) signal(SIGPROF, SIG_IGN);
      for (long i = 0; i < 300000000; i++) x += i;
      sigemptyset(&set);
      sigaddset(&set, SIGPROF);
      if (strcmp(words[1], "ignore") == 0) signal(SIGPROF, SIG_IGN);
      if (strcmp(words[1], "read") == 0) signalfd(-1, &set, 0);
      for (long i = 0; i < 100000000; i++) x += i;
      return 0;
    }
    """.write(toFile: perfkit.folder("takes.c"), atomically: true, encoding: .utf8)
    try perfkit.compile("takes.c", "-o", "takes")
    func isTold(_ result: TestCommand.Result) -> Bool {
      result.says("Sample with one that it does not use, as --signal RTMIN+3")
    }
    for way in ["own", "ignore", "read", "leave"] {
      let result = perfkit("record", "--no-report", "--", perfkit.folder("takes"), way)
      // One that has the signal from its start is sampled at most while it begins.
      #expect(result.status == .done || way == "own", "\(result.errors)")
      #expect(!result.errors.contains("Raise --rate"), "\(result.errors)")
      #expect(isTold(result) == (way != "leave"), "\(result.errors)")
      if result.status == .done {
        let chart = perfkit("chart", "latest", "--kind", "cpu", "-o", "cpu.svg")
        #expect(chart.status == .done && isTold(chart) == isTold(result), "\(chart.errors)")
      }
      let other = perfkit(
        "record", "--no-report", "--signal", "RTMIN+3", "--", perfkit.folder("takes"), way)
      #expect(other.status == .done, "\(other.errors)")
      #expect(!isTold(other), "\(other.errors)")
    }
  }

  @Test func `what a program exits with is its own affair, and is said`() throws {
    let perfkit = try TestCommand()
    let result = perfkit(
      "record", "--no-report", "--", "/bin/sh", "-c", Self.burner + "; exit 7")
    #expect(result.status == .done)
    #expect(result.errors.contains("the command exited with 7"))
  }

  @Test func `a program that crashes leaves its samples`() throws {
    let perfkit = try TestCommand()
    let result = perfkit(
      "record", "--no-report", "--", "/bin/sh", "-c", Self.burner + "; kill -SEGV $$")
    #expect(result.errors.contains("crashed (SIGSEGV)"))
    #expect(result.errors.contains("Hot functions"))
  }

  @Test func `a program that ends before a tick is an error that says what to do`() throws {
    let perfkit = try TestCommand()
    let result = perfkit("record", "--no-report", "--rate", "1", "--", "/bin/true")
    #expect(result.status == .failed)
    #expect(result.errors.contains("ended before it was sampled once"))
  }

  @Test(arguments: [
    // 20 MB: far more than the program takes, and far less than what is captured.
    ("ulimit -v 20000; exec \"$0\" -c \"$1\"", "the process went on as another program"),
    ("exec env -i \"$0\" -c \"$1\"", "the process went on as another program"),
    // Standard input, output and error, and what the loader opens. It waits for itself once.
    ("ulimit -n 4; exec \"$0\" -c \"($1) & wait; $1\"", "Let it have more of them (ulimit -n)"),
  ])
  func `a program that the sampler cannot get into says what keeps it out`(
    start: String, message: String
  ) throws {
    let perfkit = try TestCommand()
    let result = perfkit(
      "record", "--no-report", "--", "/bin/sh", "-c", start, "/bin/sh", Self.burner)
    #expect(result.says(message), "\(result.errors)")
    #expect(!result.errors.contains("Raise --rate"))
  }

  @Test func `a program that may have no signal pending is sampled`() throws {
    let perfkit = try TestCommand()
    let result = perfkit(
      "record", "--no-report", "--", "/bin/bash", "-c", "ulimit -i 0; exec \"$0\" -c \"$1\"",
      "/bin/sh", Self.burner)
    #expect(result.status == .done, "\(result.errors)")
    #expect(!result.errors.contains("warning"), "\(result.errors)")
    // The first program may have been sampled before it set the limit.
    let stacks = try LatestProfile(perfkit).stacks
    #expect(stacks.samples { $0.hasPrefix("sh;") } > 0, "\(stacks.lines)")
  }

  @Test func `allocations are counted, and drawn where they were made`() throws {
    let perfkit = try TestCommand()
    // awk asks for a MiB after the other.
    let program = "BEGIN { s = \"x\"; while (length(s) < 33554432) s = s s; print length(s) }"
    let result = perfkit(
      "record", "--allocations", "--no-report", "--format", "json", "--output",
      perfkit.folder("run.json"), "--", "awk", program)
    #expect(result.status == .done)
    let json = try String(contentsOfFile: perfkit.folder("run.json"), encoding: .utf8)
    let run = try jsonObject(json)
    let launches = try #require(run["iterations"] as? [[String: Any]])
    let metrics = try #require(launches.first?["metrics"] as? [String: Double])
    #expect(try #require(metrics["alloc.count"]) > 25)
    // Strings of 2, 4, 8 to 2^25 bytes.
    #expect(try #require(metrics["alloc.bytes"]) > 67_000_000)
    for words in [[], ["--live", "peak"]] {
      let drawn = perfkit.run(
        ["flamegraph", "latest", "--allocations", "--output", "memory.svg"] + words)
      #expect(drawn.status == .done)
      let svg = try String(contentsOfFile: perfkit.folder("memory.svg"), encoding: .utf8)
      #expect(svg.contains(words.isEmpty ? "allocated memory" : "memory at its peak"))
      #expect(svg.contains("MB a launch"))
    }
  }

  @Test func `a picture of memory that was not measured says what to do`() throws {
    let perfkit = try TestCommand()
    #expect(perfkit("record", "--no-report", "--", "/bin/sh", "-c", Self.burner).status == .done)
    let result = perfkit("flamegraph", "latest", "--allocations", "--output", "memory.svg")
    #expect(result.status == .failed)
    #expect(result.errors.contains("measured without --allocations. Measure it again with it."))
    #expect(perfkit("flamegraph", "latest", "--live", "end", "--output", "-").status == .usage)
  }

  /// Who awaits `leaf` can only be seen of a program that is built for it.
  private static let asynchronous = """
    @inline(never) func spin(_ rounds: Int) -> UInt64 {
      var x: UInt64 = 88_172_645_463_325_252
      for _ in 0..<rounds { x ^= x << 13; x ^= x >> 7; x ^= x << 17 }
      return x
    }
    @inline(never) func leaf() async -> UInt64 { await Task.yield(); return spin(100_000_000) }
    @inline(never) func outer() async -> UInt64 { await leaf() &+ 1 }
    @main struct Main { static func main() async { print(await outer()) } }
    """

  @Test(arguments: ["", "-static-stdlib"])
  func `a program whose async frames are not marked is told by which flags they would be`(
    linking: String
  ) throws {
    let perfkit = try TestCommand()
    try Self.asynchronous.write(
      toFile: perfkit.folder("async.swift"), atomically: true, encoding: .utf8)
    let flags = [
      "-Xfrontend", "-enable-async-frame-pointer-all", "-Xfrontend",
      "-swift-async-frame-pointer=always",
    ]
    for marks in [[], flags] {
      let compiler = Process()
      compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      compiler.currentDirectoryURL = URL(fileURLWithPath: perfkit.folder.path)
      compiler.arguments =
        ["swiftc", "-O", "-parse-as-library", "async.swift", "-o", "async"]
        + [linking].filter { !$0.isEmpty } + marks
      try compiler.run()
      compiler.waitUntilExit()
      try #require(compiler.terminationStatus == 0)
      let result = perfkit("record", "--no-report", "--", perfkit.folder("async"))
      #expect(result.status == .done, "\(result.errors)")
      #expect(
        result.errors.contains("-swift-async-frame-pointer=always") == marks.isEmpty,
        "\(result.errors)")
    }
  }

  #if arch(x86_64)
  @Test func `a program that calls a library through stubs has their samples whole, by name`()
    throws
  {
    let perfkit = try TestCommand()
    try "int tiny(int value) { return value + 1; }".write(
      toFile: perfkit.folder("tiny.c"), atomically: true, encoding: .utf8)
    // One of the seven instructions of a round is the stub's. Which of them a signal meets is the
    // processor's affair: from launch to launch of this very program it was 4 to 42 % on one.
    try """
    int tiny(int value);
    int main(void) {
      int sum = 0;
      for (long i = 0; i < 300000000; i++) sum = tiny(sum);
      return sum == 0;
    }
    """.write(toFile: perfkit.folder("calls.c"), atomically: true, encoding: .utf8)
    try perfkit.compile("-shared", "-fPIC", "tiny.c", "-o", "libtiny.so")
    try perfkit.compile(
      "calls.c", "-o", "calls", "-L.", "-ltiny", "-Wl,-rpath,\(perfkit.folder.path)", "-Wl,-z,lazy")
    let result = perfkit("record", "--no-report", "--", perfkit.folder("calls"))
    #expect(result.status == .done, "\(result.errors)")
    let profile = try LatestProfile(perfkit)
    #expect(profile.failed == 0)
    // What the loader does before main may be met as well.
    #expect(profile.complete == profile.samples)
    let inStub = profile.stacks.samples { $0.contains(";main;tiny@plt ") }
    #expect(inStub * 100 > profile.samples, "\(inStub) of \(profile.samples)")
  }
  #endif

  @Test func `a library loaded where another one was has its own name`() throws {
    let perfkit = try TestCommand()
    // The same code: told apart by nothing but by when it is there.
    for name in ["one", "two"] {
      try "long \(name)(long n) { volatile long x = 0; while (n--) x += n; return x; }".write(
        toFile: perfkit.folder("\(name).c"), atomically: true, encoding: .utf8)
      try perfkit.compile("-shared", "-fPIC", "\(name).c", "-o", "lib\(name).so")
    }
    try """
    #include <dlfcn.h>
    #include <stdio.h>
    int main(int count, char **words) {
      for (int index = 1; index + 1 < count; index += 2) {
        void *library = dlopen(words[index], RTLD_NOW);
        long (*work)(long) = library ? dlsym(library, words[index + 1]) : NULL;
        if (!work) return 1;
        printf("%p\\n", (void *)work);
        fflush(stdout);
        work(300000000);
        if (dlclose(library) != 0) return 1;
      }
      return 0;
    }
    """.write(toFile: perfkit.folder("loads.c"), atomically: true, encoding: .utf8)
    try perfkit.compile("loads.c", "-o", "loads", "-ldl")
    let result = perfkit(
      "record", "--no-report", "--", perfkit.folder("loads"), perfkit.folder("libone.so"), "one",
      perfkit.folder("libtwo.so"), "two")
    #expect(result.status == .done, "\(result.errors)")
    let profile = try LatestProfile(perfkit)
    let counts = ["one", "two"].map { name in
      profile.stacks.samples { $0.contains(";main;\(name) ") }
    }
    // How many each has is the machine's affair.
    #expect(counts.allSatisfy { $0 * 10 > profile.samples }, "\(counts) of \(profile.samples)")
    #expect(counts.reduce(0, +) * 2 > profile.samples, "\(counts) of \(profile.samples)")
  }

  @Test(
    .enabled(if: TestCommand.hasTool("python3"), "there is no python3 here"))
  func `an interpreter's stacks are whole, down to the function that runs the script`() throws {
    let perfkit = try TestCommand()
    let script = "x = 0\nfor i in range(5000000): x += i * i % 7\n"
    let result = perfkit("record", "--no-report", "--", "python3", "-c", script)
    #expect(result.status == .done, "\(result.errors)")
    let profile = try LatestProfile(perfkit)
    #expect(profile.complete * 20 >= profile.samples * 19, "\(profile)")
    let inLoop = profile.stacks.samples { $0.contains("_PyEval_EvalFrameDefault") }
    #expect(inLoop * 2 > profile.samples, "\(inLoop) of \(profile.samples)")
  }

  private static let hasRust = TestCommand.hasTool("rustc") && TestCommand.hasTool("c++filt")

  @Test(
    .enabled(if: Self.hasRust, "there is no rustc or no c++filt here"),
    arguments: [
      // Names as C++ has them, and Rust's own; out of debug information, and of the symbol table.
      ["-C", "debuginfo=1"], ["-C", "strip=debuginfo"],
      ["-C", "symbol-mangling-version=v0", "-C", "debuginfo=1"],
      ["-C", "symbol-mangling-version=v0", "-C", "strip=debuginfo"],
    ])
  func `a program in Rust has its threads, its names and its panics`(flags: [String]) throws {
    let perfkit = try TestCommand()
    try """
    use std::hint::black_box;
    mod shelf {
        pub trait Cover { fn weight(&self) -> u64; }
        pub struct Small(pub u64);
        impl Cover for Small {
            #[inline(never)]
            fn weight(&self) -> u64 {
                let mut x = self.0 | 1;
                for _ in 0..20_000 { x ^= x << 13; x ^= x >> 7; x ^= x << 17; }
                x
            }
        }
        #[inline(never)]
        pub fn total<T: Cover>(all: &[T]) -> u64 {
            all.iter().map(|cover| cover.weight()).fold(0, u64::wrapping_add)
        }
    }
    fn main() {
        let work = move || {
            let covers: Vec<shelf::Small> = (0..16).map(shelf::Small).collect();
            (0..800).fold(0u64, |sum, _| sum.wrapping_add(shelf::total(black_box(&covers))))
        };
        let worker = std::thread::Builder::new().name("shelver".into()).spawn(work).unwrap();
        let mut caught = 0;
        while !worker.is_finished() {
            let result = std::panic::catch_unwind(|| std::panic::resume_unwind(Box::new(7u8)));
            if result.is_err() { caught += 1; }
        }
        assert!(caught > 0 && worker.join().is_ok());
    }
    """.write(toFile: perfkit.folder("shelves.rs"), atomically: true, encoding: .utf8)
    try perfkit.compile(by: ["rustc", "-O"] + flags + ["shelves.rs", "-o", "shelves"])
    let result = perfkit("record", "--no-report", "--", perfkit.folder("shelves"))
    #expect(result.status == .done, "\(result.errors)")
    let profile = try LatestProfile(perfkit)
    // Every frame is described, but libgcc overwrites what a frame has saved of its caller's
    // registers before it goes on in a handler: about 1.3 % of the samples of a program whose one
    // thread only throws.
    #expect(profile.complete * 100 >= profile.samples * 95, "\(profile)")
    let lines = profile.stacks.lines
    let weighing = lines.filter {
      $0.hasPrefix("shelver;") && $0.contains(";shelves::shelf::total")
        && $0.contains(";<shelves::shelf::Small as shelves::shelf::Cover>::weight ")
    }
    #expect(!weighing.isEmpty, "\(lines)")
    #expect(lines.contains { $0.contains(";_Unwind_RaiseException") }, "\(lines)")
    #expect(!lines.contains { $0.contains("$LT$") || $0.contains(";_R") }, "\(lines)")
  }

  @Test func `a command that is not there names where it was looked for`() throws {
    let perfkit = try TestCommand()
    let result = perfkit("record", "--", "no-such-command")
    #expect(result.status == .failed)
    #expect(result.errors.contains("cannot find the command 'no-such-command' (looked at /"))
    #expect(perfkit("record", "--", "").errors.contains("the command has no name"))
    let folder = perfkit("record", "--", perfkit.folder.path)
    #expect(folder.status == .failed)
    #expect(folder.errors.contains("'\(perfkit.folder.path)' is a folder. Pass a program in it."))
  }

  @Test func `a file that is no program is told from one that lacks the right`() throws {
    let perfkit = try TestCommand()
    let file = perfkit.folder("file")
    try Executable.write("no program", to: file)
    chmod(file, 0o644)
    #expect(perfkit("record", "--", file).errors.contains("'\(file)' is not executable"))
    chmod(file, 0o755)
    let result = perfkit("record", "--", file)
    #expect(result.status == .failed)
    #expect(result.errors.contains("neither a program nor a script that names its interpreter"))
  }

  @Test func `a script is as its interpreter is`() throws {
    let perfkit = try TestCommand()
    let script = perfkit.folder("script")
    try Executable.write("#!/bin/sh\n\(Self.burner)\n", to: script)
    #expect(perfkit("record", "--no-report", "--", script).status == .done)
    try Executable.write("#!\(perfkit.folder("missing")) x\n", to: script)
    let result = perfkit("record", "--", script)
    #expect(result.status == .failed)
    #expect(result.says("of its interpreter '\(perfkit.folder("missing"))': it is not there"))
    #expect(result.says("Install it, or name another one."))
  }

  @Test func `a user's stop ends the program and keeps its samples`() throws {
    let perfkit = try TestCommand()
    let mark = perfkit.folder("running")
    let script = "\(Self.burner); touch \(mark); while :; do :; done"
    let result = perfkit.run(
      ["record", "--no-report", "--", "/bin/sh", "-c", script],
      cancellation: Cancellation { FileManager.default.fileExists(atPath: mark) })
    #expect(result.status == .interrupted)
    #expect(perfkit("list", "runs").output.contains("interrupted"))
    #expect(result.errors.contains("Hot functions"))
  }
}
