import Foundation
import PerfExport
import PerfGate
import PerfModel
import PerfStore
import PerfTestSupport
import Testing

@testable import perfkit

/// `perfkit import profile`, and the verbs that its runs are passed to.
struct ImportVerbTests {
  private let perfkit: TestCommand

  init() throws {
    perfkit = try TestCommand()
    try write("main;draw;blend 3\nmain;draw 1\n", "before.folded.txt")
    try write("main;draw;blend 9\nmain;draw 1\n", "after.txt")
  }

  private func write(_ text: String, _ name: String) throws {
    try text.write(toFile: perfkit.folder(name), atomically: true, encoding: .utf8)
  }

  @Test func `an imported profile is a run without launches`() throws {
    let result = perfkit("import", "profile", "before.folded.txt", "--label", "old")
    #expect(result.status == .done, "\(result.errors)")
    // Four samples of three functions; the endings are no part of the name.
    #expect(
      result.prints(
        "(before:imported): Imported from collapsed: 4 samples, 3 functions, 1 thread."),
      "\(result.output)")
    let shown = perfkit("show", "old")
    #expect(shown.prints("launches none, the profile is imported (collapsed)"), "\(shown.output)")
    #expect(shown.prints("75.0% 53.4 100.0%") == false)
    #expect(shown.prints("Shares of 4 samples"))
    // Nothing is known about CPU time and about the sampler.
    for word in ["CPU", "per launch", "Sampler", " ms", " Hz"] {
      #expect(!shown.output.contains(word), "\(word): \(shown.output)")
    }
    let json = try perfkit("show", "old", "--format", "json").json()
    let profile = try #require(json["profile"] as? [String: Any])
    let imported = try #require(profile["imported"] as? [String: Any])
    #expect(imported["format"] as? String == "collapsed")
    #expect(imported["unit"] as? String == "count")
    #expect(imported["weight"] as? Double == 4)
    #expect(profile["rate_asked"] == nil)
    let facts = try #require(json["environment"] as? [String: String])
    #expect(facts["imported"] == "collapsed" && facts["imported.file"] == "before.folded.txt")
    #expect((json["iterations"] as? [Any])?.isEmpty == true)
  }

  @Test func `imported profiles are drawn, reported, exported and listed`() throws {
    #expect(perfkit("import", "profile", "before.folded.txt").status == .done)
    let svg = perfkit("flamegraph", "latest", "--output", "-").output
    #expect(svg.contains("samples: 4<"))
    #expect(svg.contains("blend (): total 3, 75.0%; self 3, 75.0%"))
    #expect(!svg.contains("per launch"))
    let report = perfkit("report", "latest", "--report", "out")
    #expect(report.status == .done, "\(report.errors)")
    let html = try String(
      contentsOfFile: perfkit.folder("out/before-imported.html"), encoding: .utf8)
    #expect(html.contains("The width is samples."))
    #expect(html.contains("perfkit import profile before.folded.txt</"))
    #expect(html.contains("\"measure\":\"samples\""))
    let collapsed = perfkit("export", "latest", "--to", "collapsed", "--output", "-")
    #expect(collapsed.output == "main;draw 1\nmain;draw;blend 3\n")
    let speedscope = perfkit("export", "latest", "--to", "speedscope", "--output", "-").output
    #expect(speedscope.contains(#""unit":"none""#))
    #expect(perfkit("list", "runs").output.contains("before:imported"))
    #expect(perfkit("store", "export", "copy.sqlite").status == .done)
    let copied = perfkit("store", "import", "copy.sqlite", "--store", "other.sqlite")
    #expect(copied.status == .done, "\(copied.errors)")
    #expect(perfkit("show", "before:imported", "--store", "other.sqlite").prints("4 samples"))
  }

  @Test func `a stack of a hundred thousand frames is shown, drawn and reported`() throws {
    try write(String(repeating: "f;", count: 100_000) + "leaf 2\n", "deep.txt")
    #expect(perfkit("import", "profile", "deep.txt").says("have more than 1,024 stack frames"))
    let shown = perfkit("show", "latest")
    // The recursion is one function, which contains all samples.
    #expect(shown.prints("[deeper frames]"), "\(shown.output)")
    let svg = perfkit("flamegraph", "latest", "--output", "-")
    #expect(svg.says("have more than 1,024 stack frames") && svg.output.contains("data-d=\"1024\""))
    #expect(perfkit("report", "latest", "--report", "out").status == .done)
  }

  @Test func `two imported profiles make a differential flame graph`() throws {
    #expect(perfkit("import", "profile", "before.folded.txt").status == .done)
    #expect(perfkit("import", "profile", "after.txt").status == .done)
    let change = perfkit(
      "flamegraph", "after:imported", "--against", "before:imported", "--output", "-")
    #expect(change.status == .done, "\(change.errors)")
    #expect(change.output.contains("samples: 4 before, 10 after"))
    #expect(change.output.contains("blend (): 3 before, 9 after, +6"))
    // Without launches no change is known to be noise.
    #expect(!change.output.contains("grey may be noise"))
  }

  @Test func `counts are not subtracted from time`() throws {
    #expect(perfkit("import", "profile", "before.folded.txt").status == .done)
    let timed = perfkit(
      "import", "profile", "after.txt", "--interval", "10ms", "--name", "timed")
    // Ten samples of 10 ms.
    #expect(timed.prints("10 samples, 100 ms of sampled CPU time"), "\(timed.output)")
    let mixed = perfkit(
      "flamegraph", "timed:imported", "--against", "before:imported", "--output", "x.svg")
    #expect(mixed.status == .failed)
    #expect(mixed.says("are samples and those of run"), "\(mixed.errors)")
    #expect(!FileManager.default.fileExists(atPath: perfkit.folder("x.svg")))
  }

  @Test func `an imported profile can be compared with a measured one`() throws {
    let store = try RunStore(path: perfkit.folder(".perfkit/perfkit.sqlite"))
    let run = SampleRuns.run(launches: 2, samples: 500, fling: 500, id: "rich")
    try store.save(run)
    let file = try ProfileExport(run, as: .pprof)
    try Data(file.bytes).write(to: URL(fileURLWithPath: perfkit.folder("rich.pb.gz")))
    let result = perfkit("import", "profile", "rich.pb.gz")
    #expect(result.status == .done, "\(result.errors)")
    #expect(result.output.contains("(rich:imported): Imported from pprof: "))
    let change = perfkit("flamegraph", "rich:imported", "--against", "run:rich", "--output", "-")
    #expect(change.status == .done, "\(change.errors)")
    #expect(change.output.contains("CPU time per launch: "))
    let lines = perfkit("annotate", "rich:imported", "GridLayout.visibleCells")
    #expect(lines.status == .done, "\(lines.errors)")
    #expect(lines.prints("of sampled CPU time, of all functions"))
  }

  @Test(arguments: [
    ["compare", "--all", "latest", "latest"], ["report", "latest", "latest"],
    ["chart", "latest", "--output", "a.svg"], ["baseline", "save", "main", "latest"],
    ["history", "before", "--metric", "wall"], ["export", "latest", "--to", "csv", "-o", "-"],
    ["export", "latest", "--to", "pprof", "-o", "-", "--launch", "1"],
  ])
  func `a verb that needs launches refuses an imported run`(words: [String]) {
    #expect(perfkit("import", "profile", "before.folded.txt").status == .done)
    let result = perfkit.run(words)
    #expect(result.status == .failed)
    #expect(result.says("its profile is imported (collapsed), so that it has no launches"))
  }

  @Test(arguments: [
    (["none.txt"], "cannot read 'none.txt': there is no such file", 2),
    (["Scenarios"], "cannot read 'Scenarios': it is a folder. Name a file.", 2),
    (["bad.bin"], "cannot import 'bad.bin': its format is unknown", 2),
    (["before.folded.txt", "--format", "firefox"], "as firefox it is invalid", 2),
    (["before.folded.txt", "--format", "fire"], "'fire' is invalid", 64),
    (["before.folded.txt", "--name", "a/b"], "--name must be", 64),
    (["before.folded.txt", "--interval", "0s"], "--interval must be longer than zero", 64),
    (["before.folded.txt", "--label", "a:b"], "a:b", 2),
  ])
  func `a file that cannot be imported is refused, and makes no store`(
    words: [String], message: String, exit: Int32
  ) throws {
    try write("hello world\n", "bad.bin")
    let result = perfkit.run(["import", "profile"] + words)
    #expect(result.status.rawValue == exit)
    #expect(result.says(message), "\(result.errors)")
    if !words.contains("--label") {
      #expect(!FileManager.default.fileExists(atPath: perfkit.folder(".perfkit/perfkit.sqlite")))
    }
  }
}
