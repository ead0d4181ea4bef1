import Foundation
import PerfGate
import PerfModel
import PerfStore
import PerfTestSupport
import Testing

@testable import perfkit

struct ExportTests {
  private let perfkit: TestCommand

  init() throws {
    perfkit = try TestCommand()
    let store = try RunStore(path: perfkit.folder(".perfkit/perfkit.sqlite"))
    try store.save(SampleRuns.run(launches: 2, samples: 500, fling: 500, id: "rich"))
    try store.save(SampleRuns.run(launches: 1, samples: 0, fling: 0, id: "poor"))
  }

  private func content(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: perfkit.folder(name))))
  }

  @Test(arguments: [
    ("firefox", #"{"meta":{"interval":1,"#), ("chrome", #"{"displayTimeUnit":"ms","#),
    ("speedscope", #"{"$schema":"https://www.speedscope.app/"#), ("json", "{\n  "),
    ("csv", "run,scenario,variant,launch,"), ("collapsed", "BookWorkloads;"),
  ])
  func `each format begins with its own signature`(format: String, beginning: String) throws {
    let result = perfkit("export", "rich", "--to", format, "-o", "out/file")
    #expect(result.status == .done)
    #expect(result.output.isEmpty)
    let text = String(decoding: try content("out/file"), as: UTF8.self)
    #expect(text.hasPrefix(beginning))
    // With a dash, standard output receives the same content.
    #expect(perfkit("export", "rich", "--to", format, "-o", "-").output == text)
  }

  @Test func `pprof files are compressed, and warnings go to standard error`() throws {
    let result = perfkit("export", "rich", "--to", "pprof", "-o", "cpu.pb.gz")
    #expect(result.status == .done)
    #expect(try content("cpu.pb.gz").starts(with: [0x1F, 0x8B]))
    #expect(result.errors.contains("2 samples were dropped"))
    #expect(perfkit("export", "rich", "--to", "pprof", "-o", "x", "--quiet").errors.isEmpty)
  }

  @Test(arguments: [
    ["show", "rich", "--format", "csv"], ["export", "rich", "--to", "csv", "-o", "-"],
  ])
  func `the warnings of CSV output go to standard error`(words: [String]) {
    let result = perfkit.run(words)
    #expect(result.status == .done)
    #expect(result.errors.contains("perfkit: warning: 2 samples were dropped"))
    #expect(!result.output.contains("dropped."))
    let quiet = perfkit.run(words + ["--quiet"])
    #expect(quiet.errors.isEmpty)
    #expect(quiet.output == result.output)
  }

  @Test func `a flame graph contains the warnings, which also go to standard error`() throws {
    let result = perfkit("flamegraph", "rich", "-o", "flames.svg")
    #expect(result.status == .done)
    #expect(result.errors.contains("2 samples were dropped"))
    let svg = String(decoding: try content("flames.svg"), as: UTF8.self)
    // The picture, its tool tip and its description contain the warning.
    #expect(svg.components(separatedBy: "2 samples were dropped").count == 4)
    let change = perfkit("flamegraph", "rich", "--against", "rich", "-o", "-")
    #expect(change.output.contains("base: 2 samples were dropped"))
    #expect(change.output.contains("candidate: 2 samples were dropped"))
  }

  @Test func `a flame graph without samples fails and writes no file`() throws {
    let idle = SampleRuns.replacingProfile(
      of: SampleRuns.run(launches: 1, samples: 0, fling: 0, id: "idle"),
      by: Profile(
        functions: [], nodes: [], threads: [], phases: [""], counts: [], timeline: [:],
        audit: ProfileAudit()))
    try RunStore(path: perfkit.folder(".perfkit/perfkit.sqlite")).save(idle)
    for reference in ["idle", "poor"] {
      let result = perfkit("flamegraph", reference, "-o", "empty.svg")
      #expect(result.status == .failed)
      #expect(result.errors.contains("run \(reference) has no samples to draw"))
      #expect(!FileManager.default.fileExists(atPath: perfkit.folder("empty.svg")))
    }
  }

  @Test(arguments: [
    (["rich", "--to", "speedscop"], "did you mean 'speedscope'?", 64),
    (
      ["rich", "--to", "pprof", "--thread", "cover-loader"], "did you mean 'cover-loader-1'?",
      2
    ),
    (["rich", "--to", "pprof", "--phase", "decoding"], "it has layout, cache, decode", 2),
    (["rich", "--to", "pprof", "--signpost", "pages"], "did you mean 'page'?", 2),
    (
      ["rich", "--to", "pprof", "--launch", "0"],
      "has no profiled launch 0. The numbers of its profiled launches: 1, 2", 2
    ),
    (["poor", "--to", "pprof"], "run poor has no profile to export", 2),
    (["none", "--to", "pprof"], "none", 2),
  ])
  func `an impossible export is refused with the reason`(
    words: [String], message: String, exit: Int32
  ) throws {
    let result = perfkit.run(["export"] + words + ["-o", "file"])
    #expect(result.status.rawValue == exit)
    #expect(result.errors.contains(message), "\(result.errors)")
    #expect(!FileManager.default.fileExists(atPath: perfkit.folder("file")))
  }

  @Test func `the samples of a signpost can be exported alone`() throws {
    // Four seconds of missed frames; one in a hundred is inside a signpost.
    try RunStore(path: perfkit.folder(".perfkit/perfkit.sqlite"))
      .save(SampleRuns.run(variant: "naive", launches: 1, samples: 2000, id: "marked"))
    func samples(_ words: String...) -> Int {
      CollapsedStacks(
        perfkit.run(["export", "marked", "--to", "collapsed", "-o", "-"] + words).output
      ).samples()
    }
    let all = samples()
    let ofPage = samples("--signpost", "page")
    #expect(ofPage > 0 && ofPage < all)
    let svg = perfkit("flamegraph", "marked", "--signpost", "page", "-o", "-").output
    #expect(svg.contains("CPU time, signpost page"))
    let wrong = perfkit("flamegraph", "marked", "--signpost", "book", "-o", "-")
    #expect(wrong.status == .failed)
    #expect(wrong.errors.contains("has no sampled signpost 'book'; it has page"))
  }

  @Test func `an export that cannot be written fails`() throws {
    let result = perfkit("export", "rich", "--to", "csv", "-o", ".perfkit/perfkit.sqlite/file")
    #expect(result.status == .failed)
    #expect(result.errors.contains("cannot write"))
  }
}
