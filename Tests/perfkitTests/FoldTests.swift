import PerfGate
import PerfStore
import PerfTestSupport
import Testing

@testable import perfkit

/// `--fold` in tables, flame graphs and exports of sample runs, which decode JPEG images by a C library.
struct FoldTests {
  private let perfkit: TestCommand

  init() throws {
    perfkit = try TestCommand()
    let store = try RunStore(path: perfkit.folder(".perfkit/perfkit.sqlite"))
    try store.save(SampleRuns.run(variant: "naive", launches: 2, id: "first"))
    try store.save(SampleRuns.run(variant: "optimised", launches: 2, id: "second"))
  }

  private func run(_ words: String...) -> TestCommand.Result {
    let result = perfkit.run(words)
    #expect(result.status == .done, "\(result.errors)")
    return result
  }

  @Test func `a table folds inlined code, and libraries on request`() {
    let usual = run("show", "first")
    #expect(usual.prints("decode_mcu") && usual.prints("(--fold none shows it)"))
    let folded = run("show", "first", "--fold", "library")
    #expect(!folded.prints("decode_mcu") && folded.prints("JPEGDecoder.decode(_:)"))
    #expect(!run("show", "first", "--fold", "none").prints("--fold none"))
  }

  @Test func `a flame graph and a differential one fold on request only`() {
    let foldings: [(name: String, showsLibraries: Bool)] = [("none", true), ("library", false)]
    for graph in [["first"], ["first", "--against", "second"]] {
      let words = ["flamegraph"] + graph + ["--output", "-"]
      #expect(perfkit.run(words).output.contains("decode_mcu"))
      for folding in foldings {
        let result = perfkit.run(words + ["--fold", folding.name])
        #expect(result.status == .done, "\(result.errors)")
        #expect(result.output.contains("decode_mcu") == folding.showsLibraries, "\(graph)")
        #expect(result.output.contains("JPEGDecoder.decode"))
      }
    }
  }

  @Test func `an export contains all functions`() {
    #expect(run("export", "first", "--to", "collapsed", "-o", "-").output.contains("decode_mcu"))
    let refused = perfkit("export", "first", "--to", "collapsed", "-o", "-", "--fold", "library")
    #expect(refused.status == .usage)
  }

  @Test func `an unknown folding is refused with the known ones`() {
    let result = perfkit("show", "first", "--fold", "runtime")
    #expect(result.status == .usage)
    #expect(result.says("there is no folding 'runtime' among none, inlined, library"))
  }
}
