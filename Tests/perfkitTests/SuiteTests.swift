import Foundation
import PerfGate
import PerfTestSupport
import Testing

@testable import perfkit

/// Suites of package-benchmark, measured and compared without a scenario file.
@Suite(.enabled(if: TestCommand.hasTool("python3"), "the test's suite is written in Python"))
struct SuiteTests {
  @Test func `a benchmark runs alone in each launch and reports its time per operation`() throws {
    let suite = try SuiteRepository(["Decode.cover": 1000, "Page": 1500])
    let result = suite.measure(
      "run", "Suite/Decode.cover", "--iterations", "3", "--warmup", "0", "--format", "json")
    #expect(result.status == .done, "\(result.errors)")
    let run = try result.json()
    #expect(run["scenario"] as? String == "Suite-Decode.cover")
    let launches = try #require(run["iterations"] as? [[String: Any]])
    #expect(launches.count == 3)
    for launch in launches {
      let metrics = try #require(launch["metrics"] as? [String: Double])
      // 1000 or 1001 ns, for each of 1000 operations.
      let time = try #require(metrics["benchmark.time"])
      #expect((1.0...1.001).contains(time))
      #expect(metrics["benchmark.iterations"] == 10)
      // A metric without useScalingFactor belongs to the iteration.
      #expect(metrics["benchmark.custom.books_s"] == 300)
    }
  }

  @Test func `all benchmarks of all suites are measured by default`() throws {
    let suite = try SuiteRepository(["Decode": 1000, "Page": 1500])
    let result = suite.measure("run", "--iterations", "1", "--warmup", "0", "--format", "json")
    #expect(result.status == .done, "\(result.errors)")
    let runs = try #require(
      JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]])
    #expect(runs.compactMap { $0["scenario"] as? String } == ["Suite-Decode", "Suite-Page"])
  }

  @Test func `a slower benchmark is found between two revisions`() throws {
    let suite = try SuiteRepository(["Decode": 1000, "Page": 1500])
    try suite.write(["Decode": 1100, "Page": 1500])
    let result = suite.measure(
      "diff", "HEAD", "WORKTREE", "--scenario", "Suite", "--format", "json")
    #expect(result.status == .done, "\(result.errors)")
    let list = try #require(
      JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]])
    let verdicts = list.map { ($0["verdict"] as? String) ?? "" }
    #expect(verdicts == ["regressed", "equivalent"])
  }

  @Test func `a gate fails for a slower and for a removed benchmark, and accepts a new one`() throws
  {
    let suite = try SuiteRepository(["Decode": 1000, "Old one": 1500])
    try suite.write(["Decode": 1100, "New": 1500])
    let result = suite.measure("gate", "--against", "HEAD", "--github")
    #expect(result.status == .gateFailed, "\(result.errors)")
    let places = result.errors.matches(of: /::error file=([^,]*),/).map { String($0.output.1) }
    #expect(places == ["Benchmarks/Package.swift", "Benchmarks/Package.swift"], "\(result.errors)")
    #expect(result.prints("Benchmark Suite/Old one is removed"), "\(result.output)")
    #expect(result.prints("lacks it"))
    let command = "perfkit decide 'removed:Suite/Old one' --against HEAD --keep --because TEXT"
    #expect(result.prints(command), "\(result.output)")
    let results = try #require(suite.repository.verdict()["results"] as? [[String: Any]])
    let statuses = results.map { "\($0["subject"] ?? ""): \($0["verdict"] ?? "")" }
    #expect(
      statuses == [
        "Suite/Old one: failed", "Suite-Decode:default: failed", "Suite/New: passed",
      ])
    let decision = suite.perfkit(
      "decide", "removed:Suite/Old one", "--keep", "--because", "Pages replaced it.", "--against",
      "HEAD")
    #expect(decision.status == .done, "\(decision.errors)")
    let again = suite.measure("gate", "--against", "HEAD")
    #expect(again.prints("It is accepted by decision 1"), "\(again.output)")
  }

  @Test func `a benchmark whose set-up fails is reported with its reason`() throws {
    let suite = try SuiteRepository(["Decode": 1000])
    try suite.write(
      ["Decode": 1000], before: "write({\"error\": {\"_0\": \"no covers\"}}); continue")
    let result = suite.measure("run", "--iterations", "1", "--warmup", "0")
    #expect(result.status == .failed)
    #expect(result.prints("it reports: no covers") || result.says("it reports: no covers"))
  }

  @Test func `unknown names are refused with the known ones`() throws {
    let suite = try SuiteRepository(["Decode": 1000])
    let target = suite.measure("run", "Siute")
    #expect(target.status == .failed)
    #expect(target.says("there is no suite or benchmark 'Siute'; did you mean 'Suite'? Known: "))
    let benchmark = suite.measure("run", "Suite/Decoed")
    #expect(benchmark.says("'Suite/Decoed'; did you mean 'Suite/Decode'?"), "\(benchmark.errors)")
  }

  @Test func `a program that does not answer as a suite is refused`() throws {
    let suite = try SuiteRepository(["Decode": 1000])
    try Executable.write(
      "#!/bin/sh\necho Hello\n", to: suite.repository.root + "/Benchmarks/suite.py")
    let result = suite.measure("run")
    #expect(result.status == .failed)
    #expect(result.says("it lists no benchmark"), "\(result.errors)")
    #expect(result.says("Its last output: Hello"))
  }

  @Test func `a suite with messages of an unknown form is refused with the known version`() throws {
    let suite = try SuiteRepository(["Decode": 1000])
    // A version whose results have another name, and one whose times have another name.
    for (answer, part) in [
      ("write({\"measured\": {\"benchmark\": {}}}); continue", "result"),
      ("write({\"result\": {\"results\": [{\"metric\": {\"time\": {}}}]}}); continue", "time"),
    ] {
      try suite.write(["Decode": 1000], before: answer)
      let result = suite.measure("run", "--iterations", "1", "--warmup", "0")
      #expect(result.status == .failed)
      let text =
        "it sent no \(part) of the benchmark 'Decode' in the form of package-benchmark 1.38.1"
      #expect(result.prints(text) || result.says(text), "\(result.output)\(result.errors)")
    }
    try Executable.write(
      """
      #!/usr/bin/env python3
      import json, os, struct, sys
      replies = int(sys.argv[sys.argv.index("--output-fd") + 1])
      text = json.dumps({"catalog": {"version": 2}}).encode()
      os.write(replies, struct.pack("q", len(text)) + text)
      """, to: suite.repository.root + "/Benchmarks/suite.py")
    let listing = suite.measure("run")
    #expect(listing.status == .failed)
    #expect(listing.says("it sends 'catalog' instead of its benchmarks"), "\(listing.errors)")
    #expect(listing.says("(version 1.38.1 is known)"), "\(listing.errors)")
  }

  @Test func `a folder without suites is refused`() throws {
    let perfkit = try TestCommand()
    let empty = perfkit("run", "--package-benchmark")
    #expect(empty.status == .failed)
    #expect(empty.says("neither it nor its folder Benchmarks has a Package.swift. Run perfkit in"))
    try "import PackageDescription\n".write(
      toFile: perfkit.folder("Package.swift"), atomically: true, encoding: .utf8)
    let other = perfkit("run", "--package-benchmark")
    #expect(other.status == .failed)
    #expect(other.says("has a Package.swift that uses BenchmarkPlugin. Run perfkit in the folder"))
  }

  @Test(arguments: ["", "Benchmarks"])
  func `packages with suites in nested folders are named, and perfkit works there`(
    place: String
  ) throws {
    let suite = try SuiteRepository(["Decode": 1000])
    let benchmarks = suite.repository.root + "/Benchmarks"
    for nested in ["NoTraits", "MaxLogLevel"] {
      try suite.repository.write("Benchmarks/\(nested)/Package.swift", "\"BenchmarkPlugin\"\n")
    }
    for name in ["manifest.json", "suite.py"] {
      try FileManager.default.moveItem(
        atPath: "\(benchmarks)/\(name)", toPath: "\(benchmarks)/NoTraits/\(name)")
    }
    try FileManager.default.removeItem(atPath: benchmarks + "/Package.swift")
    let result = suite.run(["run", "--package-benchmark"], below: place)
    #expect(result.status == .failed)
    let parent = place.isEmpty ? "Benchmarks/" : ""
    #expect(
      result.says(
        "Suites are in the packages of \(parent)MaxLogLevel, \(parent)NoTraits. Run perfkit in the "
          + "folder of the package"), "\(result.errors)")
    let words = ["run", "--package-benchmark", "--no-profile", "--no-report", "--iterations", "1"]
    let measured = suite.run(words, below: "Benchmarks/NoTraits")
    #expect(measured.status == .done, "\(measured.errors)")
  }

  @Test(arguments: [
    (["run", "--set", "books=3"], "have no parameters and no scenario files"),
    (["run", "--package-benchmark", "--", "ls"], "cannot be used with a command after --"),
    (["diff", "HEAD", "--variant", "naive"], "have no variants"),
    (["gate", "--budgets-only"], "leave out --budgets-only"),
  ])
  func `options that do not apply to suites are refused`(words: [String], text: String) throws {
    let repository = try TestRepository()
    var all = words
    if !words.contains("--package-benchmark") { all.append("--package-benchmark") }
    let result = repository.perfkit.run(all)
    #expect(result.status == .usage)
    #expect(result.says(text), "\(result.errors)")
  }
}
