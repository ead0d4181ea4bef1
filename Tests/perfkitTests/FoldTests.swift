import Foundation
import PerfGate
import PerfModel
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

  /// The id of a comparison of pairs of both runs.
  private static let comparison = "c1m8dhkrn0xe"

  @Test(arguments: [[comparison], ["first", "second"]])
  func `a report of a comparison folds its table and its graph alike, on request only`(
    references: [String]
  ) throws {
    let store = try RunStore(path: perfkit.folder(".perfkit/perfkit.sqlite"))
    try store.save(
      StoredComparison(
        id: Self.comparison, subject: "scroll-1000", started: SampleRuns.firstStart,
        design: ComparisonDesign(
          seed: 1, gatingCount: 1, maxPairs: 40, policy: Scenario.GatePolicy(), launchesPerPair: 1))
    )
    try store.append(.init(base: "first", candidate: "second"), toComparison: Self.comparison)
    func report(_ format: String, _ words: [String] = []) throws -> String {
      let result = perfkit.run(
        ["report"] + references + ["--report", "out", "--format", format] + words)
      #expect(result.status == .done, "\(result.errors)")
      let path = perfkit.folder(result.output.trimmingCharacters(in: .newlines))
      // Markdown escapes underscores.
      return try String(contentsOfFile: path, encoding: .utf8).replacing("\\_", with: "_")
    }
    var verdicts: Set<Substring?> = []
    // The text has the table only, the page also the graph.
    for format in ["markdown", "html"] {
      let whole = try report(format)
      #expect(whole.contains("decode_mcu") && whole.contains("jsimd_idct"), "\(format)")
      let folded = try report(format, ["--fold", "library"])
      #expect(!folded.contains("decode_mcu") && !folded.contains("jsimd_idct"), "\(format)")
      #expect(folded.contains("JPEGDecoder.decode(_:)"))
      guard format == "markdown" else { continue }
      for text in [whole, folded] {
        verdicts.insert(text.split(separator: "\n").first { $0.hasPrefix("**") })
      }
    }
    #expect(verdicts.count == 1 && !verdicts.contains(nil))
    let named = try report("markdown", ["--full-names"])
    #expect(named.contains("BookWorkloads.Compositor.blend(_:at:)"))
  }

  @Test(arguments: ["collapsed", "pprof", "firefox", "speedscope", "chrome"])
  func `an export contains all functions`(format: String) throws {
    _ = run("export", "first", "--to", format, "-o", "out/profile")
    let file = try Data(contentsOf: URL(fileURLWithPath: perfkit.folder("out/profile")))
    // The compressed files of pprof have stored blocks, which contain names as they are.
    #expect(file.range(of: Data("decode_mcu".utf8)) != nil)
    for option in [["--fold", "library"], ["--no-kernel"]] {
      let refused = perfkit.run(["export", "first", "--to", format, "-o", "out/folded"] + option)
      #expect(refused.status == .usage)
    }
  }

  @Test func `an unknown folding is refused with the known ones`() {
    let result = perfkit("show", "first", "--fold", "runtime")
    #expect(result.status == .usage)
    #expect(result.says("there is no folding 'runtime' among none, inlined, library"))
  }
}
