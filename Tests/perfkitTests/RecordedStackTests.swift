import PerfGate
import PerfTestSupport
import Testing

@testable import perfkit

/// The stacks and functions of recorded programs in several languages.
struct RecordedStackTests {
  @Test(arguments: ["", "-static-stdlib"])
  func `a program whose async frames are not marked gets advice on compiler flags`(
    linking: String
  ) throws {
    let perfkit = try TestCommand()
    let flags = [
      "-Xfrontend", "-enable-async-frame-pointer-all", "-Xfrontend",
      "-swift-async-frame-pointer=always",
    ]
    for marks in [[], flags] {
      try perfkit.compile(
        by: ["swiftc", "-O", "-parse-as-library", TestCommand.programSources + "/async.swift"]
          + ["-o", "async"] + [linking].filter { !$0.isEmpty } + marks)
      let result = perfkit(
        "record", "--all", "--no-report", "--engine", "signal", "--", perfkit.folder("async"))
      #expect(result.status == .done, "\(result.errors)")
      #expect(
        result.errors.contains("-swift-async-frame-pointer=always") == marks.isEmpty,
        "\(result.errors)")
    }
  }

  #if arch(x86_64)
  @Test func `samples in the stubs of a library are complete and named`() throws {
    let perfkit = try TestCommand()
    // One of seven instructions of a round is the stub's. Its share of the samples depends on the
    // processor: it was 4 to 42 % in launches of this program on one machine.
    try perfkit.compile(program: "tiny.c", "-shared", "-fPIC", "-o", "libtiny.so")
    try perfkit.compile(
      program: "calls.c", "-o", "calls", "-L.", "-ltiny", "-Wl,-rpath,\(perfkit.folder.path)",
      "-Wl,-z,lazy")
    let result = perfkit("record", "--all", "--no-report", "--", perfkit.folder("calls"))
    #expect(result.status == .done, "\(result.errors)")
    let profile = try LatestProfile(perfkit)
    #expect(profile.failed == 0)
    // Some samples may be in the loader, before main.
    #expect(profile.complete == profile.samples)
    let inStub = profile.stacks.samples { $0.contains(";main;tiny@plt ") }
    #expect(inStub * 100 > profile.running, "\(inStub) of \(profile.running)")
  }
  #endif

  @Test func `a library at the address of an unloaded one has its own name`() throws {
    let perfkit = try TestCommand()
    // Both have the same code, and differ only in the time when they are loaded.
    for name in ["one", "two"] {
      try perfkit.compileLibrary("lib\(name).so", with: name)
    }
    try perfkit.compile(program: "loads.c", "-o", "loads", "-ldl")
    let result = perfkit(
      "record", "--all", "--no-report", "--", perfkit.folder("loads"), perfkit.folder("libone.so"),
      "one",
      perfkit.folder("libtwo.so"), "two")
    #expect(result.status == .done, "\(result.errors)")
    let profile = try LatestProfile(perfkit)
    let counts = ["one", "two"].map { name in
      profile.stacks.samples { $0.contains(";main;\(name) ") }
    }
    // The shares of the two depend on the machine.
    #expect(counts.allSatisfy { $0 * 10 > profile.running }, "\(counts) of \(profile.running)")
    #expect(counts.reduce(0, +) * 2 > profile.running, "\(counts) of \(profile.running)")
  }

  @Test(
    .enabled(if: TestCommand.hasTool("python3"), "there is no python3 here"))
  func `stacks of an interpreter are complete and contain its evaluation function`() throws {
    let perfkit = try TestCommand()
    let script = "x = 0\nfor i in range(5000000): x += i * i % 7\n"
    let result = perfkit("record", "--all", "--no-report", "--", "python3", "-c", script)
    #expect(result.status == .done, "\(result.errors)")
    let profile = try LatestProfile(perfkit)
    #expect(profile.complete * 20 >= profile.samples * 19, "\(profile)")
    let inLoop = profile.stacks.samples { $0.contains("_PyEval_EvalFrameDefault") }
    #expect(inLoop * 2 > profile.running, "\(inLoop) of \(profile.running)")
  }

  private static let hasRust = TestCommand.hasTool("rustc") && TestCommand.hasTool("c++filt")

  @Test(
    .enabled(if: Self.hasRust, "there is no rustc or no c++filt here"),
    arguments: [
      // Both mangling schemes, each from debug information and from the symbol table.
      ["-C", "debuginfo=1"], ["-C", "strip=debuginfo"],
      ["-C", "symbol-mangling-version=v0", "-C", "debuginfo=1"],
      ["-C", "symbol-mangling-version=v0", "-C", "strip=debuginfo"],
    ])
  func `a program in Rust has named threads, functions and panics`(flags: [String]) throws {
    let perfkit = try TestCommand()
    try perfkit.compile(
      by: ["rustc", "-O"] + flags + [TestCommand.programSources + "/shelves.rs", "-o", "shelves"])
    let result = perfkit("record", "--all", "--no-report", "--", perfkit.folder("shelves"))
    #expect(result.status == .done, "\(result.errors)")
    let profile = try LatestProfile(perfkit)
    // libgcc overwrites saved registers of a frame before it continues in a handler: about 1.3 % of
    // the samples of a thread that only throws have no complete stack.
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
}
