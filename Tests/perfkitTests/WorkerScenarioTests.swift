import Foundation
import PerfGate
import PerfTestSupport
import Testing

@testable import perfkit

/// Scenarios of working and broken workers.
struct WorkerScenarioTests {
  private func worker(
    _ workload: String, parameters: String = "{}", iterations: Int = 2, timeout: String = "60s",
    more: String = ""
  ) throws -> TestCommand {
    let command = try TestCommand()
    try command.scenario(
      "work",
      """
      scenario: work
      summary: A worker.
      workload: \(workload)
      worker: BenchWorkloads
      parameters: \(parameters)
      variants: { plain: {} }
      default_variant: plain
      iterations: \(iterations)
      warmup: 0
      timeout: \(timeout)
      \(more)
      """)
    return command
  }

  @Test func `the profile of a worker has samples and no failed stacks`() throws {
    let perfkit = try worker("bench.phases", iterations: 1)
    let result = perfkit("run", "--all", "work", "--no-report", "--format", "json")
    #expect(result.status == .done)
    let run = try result.json()
    let profile = try #require(run["profile"] as? [String: Any])
    #expect(try #require(profile["samples"] as? Int) > 0)
    #expect(profile["failed"] as? Int == 0)
    #expect(run["schema"] as? String == "perfkit.run/1")
  }

  @Test func `the flame graph of an async worker shows the awaiting functions`() throws {
    let perfkit = try worker("bench.async", iterations: 1)
    let result = perfkit("run", "--all", "work", "--no-report", "--format", "json")
    #expect(result.status == .done)
    let run = try result.json()
    let profile = try #require(run["profile"] as? [String: Any])
    // Every stack contains marked frame pointers, which must not end the unwinding. One in thousands is
    // inside an epilogue of an async function that the compiler describes wrongly.
    let samples = try #require(profile["samples"] as? Int)
    #expect(try #require(profile["failed"] as? Int) <= samples / 100)
    #expect(perfkit("flamegraph", "latest", "--output", "flames.svg").status == .done)
    let svg = try String(contentsOfFile: perfkit.folder("flames.svg"), encoding: .utf8)
    let callers = try #require(svg.firstRange(of: "outer(_:) (awaiting)"))
    let inner = try #require(svg.firstRange(of: "mid(_:) (awaiting)"))
    let leaf = try #require(svg.firstRange(of: ">leaf(_:) ("))
    // Rows are drawn from the outermost function to the innermost.
    #expect(callers.lowerBound < inner.lowerBound)
    #expect(inner.lowerBound < leaf.lowerBound)
  }

  @Test func `threads of a pool that blocks signals are sampled with any signal`() throws {
    let perfkit = try worker("bench.async", iterations: 1)
    let result = perfkit(
      "run", "--all", "work", "--no-report", "--signal", "USR2", "--format", "json")
    #expect(result.status == .done)
    let run = try result.json()
    let profile = try #require(run["profile"] as? [String: Any])
    // The pool does all the work.
    #expect(try #require(profile["samples"] as? Int) > 20)
    #expect(!result.output.contains("sampler.blocked"))
  }

  @Test func `the allocations of a worker are counted exactly and can have a budget`() throws {
    // Three objects a round, of 24 + 64 + 128 bytes, and a block of 65,536 in every tenth: from 1,000
    // rounds to 3,000 that is 6,000 + 200 calls and 432,000 + 13,107,200 bytes more.
    var counts: [[Double]] = []
    for rounds in [1000, 3000] {
      let perfkit = try worker(
        "bench.allocate", parameters: "{ rounds: \(rounds), interval: 10 }",
        more: "budgets: [ \"max(alloc.count) <= 4000 count\" ]")
      let result = perfkit(
        "run", "--all", "work", "--allocations", "--exit-code", "--no-report", "--format", "json")
      #expect(result.status == (rounds == 1000 ? .done : .gateFailed))
      let run = try result.json()
      let launches = try #require(run["iterations"] as? [[String: Any]])
      let metrics = launches.compactMap { $0["metrics"] as? [String: Double] }
      #expect(metrics.count == 2)
      #expect(Set(metrics.map { $0["alloc.count"] }).count == 1)
      counts.append(["alloc.count", "alloc.bytes"].map { metrics.first?[$0] ?? .nan })
    }
    #expect(counts[1][0] - counts[0][0] == 6200)
    #expect(counts[1][1] - counts[0][1] == 13_539_200)
  }

  @Test func `a crash of a worker fails only its launch`() throws {
    let perfkit = try worker("bench.crash")
    let result = perfkit("run", "--all", "work", "--no-report")
    #expect(result.status == .failed)
    #expect(result.output.contains("crashed (SIGSEGV)"))
    #expect(perfkit("show", "work:plain").output.contains("2 of 2 launches did not"))
  }

  @Test func `a hanging worker is killed at its timeout`() throws {
    let perfkit = try worker("bench.hang", iterations: 1, timeout: "2s")
    let result = perfkit("run", "--all", "work", "--no-report")
    #expect(result.status == .failed)
    #expect(result.output.contains("timed out"))
  }

  @Test func `an invalid message of a worker is reported with its text`() throws {
    let perfkit = try worker("bench.garbage", iterations: 1)
    let result = perfkit("run", "--all", "work", "--no-report")
    #expect(result.status == .failed)
    #expect(result.prints("sent an invalid message during measure"))
  }

  @Test func `the error that a workload throws is reported`() throws {
    let perfkit = try worker("bench.fail", iterations: 1)
    let result = perfkit("run", "--all", "work", "--no-report")
    #expect(result.status == .failed)
    #expect(result.output.contains("asks for a failure in the stage"))
  }

  @Test(arguments: ["setup", "prepare"])
  func `a worker that fails before it is measured fails the run`(stage: String) throws {
    let perfkit = try worker("bench.fail", parameters: "{ stage: \(stage) }", iterations: 1)
    let result = perfkit("run", "--all", "work", "--no-report")
    #expect(result.status == .failed)
    #expect((result.output + result.errors).contains(stage))
    // A failed setup leaves no run.
    #expect(perfkit("list", "runs").output.contains("work:plain") == (stage == "prepare"))
  }

  @Test func `the errors of an unknown workload and parameter suggest the nearest names`() throws {
    let unknown = try worker("bench.phasses")("run", "--all", "work")
    #expect(unknown.status == .failed)
    #expect(unknown.errors.contains("did you mean 'bench.phases'?"))
    let wrong = try worker("bench.burn")("run", "--all", "work", "--set", "threds=2")
    #expect(wrong.status == .failed)
    #expect(wrong.errors.contains("threads"))
  }

  @Test func `a stored run can be printed and drawn in every format`() throws {
    let perfkit = try worker("bench.phases", iterations: 1)
    #expect(perfkit("run", "--all", "work").status == .done)
    #expect(FileManager.default.fileExists(atPath: perfkit.folder("Reports/work-plain.html")))
    for format in ["text", "json", "markdown", "csv"] {
      let shown = perfkit("show", "latest", "--format", format)
      #expect(shown.status == .done)
      #expect(shown.output.contains("wall"))
    }
    #expect(perfkit("flamegraph", "latest", "--output", "flames.svg").status == .done)
    let svg = try String(contentsOfFile: perfkit.folder("flames.svg"), encoding: .utf8)
    #expect(svg.hasPrefix("<svg") || svg.hasPrefix("<?xml"))
    #expect(!svg.contains("BenchWorkloads.Phases"))
    #expect(
      perfkit("flamegraph", "latest", "--full-names", "--output", "full.svg").status == .done)
    let full = try String(contentsOfFile: perfkit.folder("full.svg"), encoding: .utf8)
    #expect(full.contains("BenchWorkloads.Phases"))
    #expect(
      perfkit("chart", "latest", "--kind", "memory", "--output", "memory.svg").status == .done)
    #expect(perfkit("report", "latest", "--report", "elsewhere").output.contains("elsewhere/"))
  }

  @Test func `the error of an unknown thread lists the existing ones`() throws {
    let perfkit = try worker("bench.phases", iterations: 1)
    #expect(perfkit("run", "--all", "work", "--no-report").status == .done)
    let result = perfkit("flamegraph", "latest", "--thread", "unknown", "--output", "x.svg")
    #expect(result.status == .failed)
    #expect(result.errors.contains("has no thread 'unknown'"))
  }

  @Test func `a report that cannot be written fails the command and keeps the run`() throws {
    let perfkit = try worker("bench.phases", iterations: 1)
    try "a file".write(toFile: perfkit.folder("Reports"), atomically: true, encoding: .utf8)
    let result = perfkit("run", "--all", "work")
    #expect(result.status == .failed)
    #expect(result.errors.contains("cannot write '\(perfkit.folder("Reports/work-plain.html"))'"))
    #expect(perfkit("show", "latest").status == .done)
  }
}
