import Foundation
import PerfGate
import PerfTestSupport
import Testing

@testable import perfkit

/// The statements of scenarios on what their variants show, and the sizes that fit the machine.
struct ExpectationTests {
  /// Returns a command with a scenario of two variants: a disk tier without and with a limit.
  ///
  /// Sixty covers of 40 kB are 2.4 MB, and the limit is 1 MiB.
  private func perfkit(_ more: String = "") throws -> TestCommand {
    let perfkit = try TestCommand()
    try perfkit.scenario(
      "covers",
      """
      scenario: covers
      summary: Requests covers from a disk tier.
      workload: book.disk
      worker: BookWorkloads
      parameters: { books: 60, requests: 300, limit: 1, damage_every: 0 }
      variants: { naive: { bounded: false }, optimised: { bounded: true } }
      default_variant: optimised
      iterations: 1
      warmup: 0
      quick: { cover_bytes: 40000 }
      \(more)
      """)
    return perfkit
  }

  private static let expects = """
    expects:
      - disk.most_bytes(naive) > 1.5 * disk.most_bytes(optimised)
      - disk.undetected(optimised) == 0
      - naive.disk.hit_ratio < optimised.disk.hit_ratio
      - disk.load_time(naive) <= 10 s
    """

  /// Runs variants and returns the verdicts of the last one, by expectation.
  private func verdicts(
    _ perfkit: TestCommand, _ variants: [String], _ more: String...
  ) throws -> [String] {
    let words = variants.flatMap { ["--variant", $0] } + more
    let result = perfkit.run(
      ["run", "--all", "covers", "--no-profile", "--no-report", "--format", "json"] + words)
    let json = try? JSONSerialization.jsonObject(with: Data(result.output.utf8))
    let run = try #require(
      (json as? [[String: Any]])?.last ?? json as? [String: Any], "\(result.errors)")
    let expectations = try #require(run["expectations"] as? [[String: Any]], "\(result.errors)")
    return expectations.compactMap { $0["verdict"] as? String }
  }

  // No file is damaged, so that no content is undetected in either variant.
  @Test func `the variants of one run decide the expectations`() throws {
    let perfkit = try perfkit(Self.expects)
    #expect(
      try verdicts(perfkit, ["naive", "optimised"], "--set", "cover_bytes=40000")
        == ["kept", "not testable", "broken"])
    let text = perfkit(
      "run", "--all", "covers", "--variant", "naive", "--variant", "optimised", "--set",
      "cover_bytes=40000", "--no-profile", "--no-report", "--exit-code", "--all")
    #expect(text.status == .gateFailed)
    #expect(text.prints("kept disk.most_bytes(naive) > 1.5 * disk.most_bytes(optimised)"))
    #expect(text.prints("disk.undetected is 0 in naive and optimised"))
  }

  @Test func `a variant that was run earlier with the same parameters counts`() throws {
    let perfkit = try perfkit(Self.expects)
    #expect(
      try verdicts(perfkit, ["optimised"], "--quick") == ["not measured", "kept", "not measured"])
    #expect(
      try verdicts(perfkit, ["naive"], "--quick")
        == ["kept", "broken", "not measured"])
    #expect(
      try verdicts(perfkit, ["optimised"], "--quick", "--set", "books=61")
        == ["not measured", "kept", "not measured"])
  }

  @Test func `a comparison of two variants decides the expectations on both`() throws {
    let perfkit = try perfkit(Self.expects)
    let result = perfkit(
      "diff", "--all", "--scenario", "covers", "--variant", "naive", "--variant", "optimised",
      "--max-time", "1ns", "--no-profile", "--no-report", "--quick", "--format", "json")
    let expectations = try #require(
      result.json()["expectations"] as? [[String: Any]], "\(result.errors)")
    // At the small size, times do not count.
    #expect(
      expectations.compactMap { $0["verdict"] as? String }
        == ["kept", "not testable", "broken", "not measured"])
  }

  @Test func `stored runs are judged as measured ones, if the scenario file is at hand`() throws {
    let perfkit = try perfkit(Self.expects)
    let measured = try verdicts(
      perfkit, ["naive", "optimised"], "--set", "cover_bytes=40000", "--quick")
    func stored(_ words: String...) throws -> [String] {
      let result = perfkit.run(words + ["--format", "json"])
      let expectations = try result.json()["expectations"] as? [[String: Any]]
      return (expectations ?? []).compactMap { $0["verdict"] as? String }
    }
    #expect(try stored("show", "latest") == measured)
    // The last expectation names the naive variant alone; at the small size, times do not count.
    #expect(
      try stored("compare", "--all", "covers:naive", "covers:optimised")
        == ["kept", "not testable", "broken", "not measured"])
    // Two runs of one variant decide no contrast.
    _ = try verdicts(perfkit, ["optimised"], "--set", "cover_bytes=40000", "--quick")
    #expect(try stored("compare", "--all", "latest~1", "latest") == [])
    let page = perfkit("report", "latest", "--format", "markdown")
    let text = try String(
      contentsOfFile: perfkit.folder(page.output.dropLast().description), encoding: .utf8)
    #expect(text.contains("Contrast of the variants"))
    // Other parameters are no evidence.
    _ = try verdicts(perfkit, ["optimised"], "--set", "cover_bytes=40000", "--set", "books=61")
    #expect(try stored("show", "latest") == ["not measured", "kept", "not measured"])
    try FileManager.default.removeItem(atPath: perfkit.folder("Scenarios/covers.yml"))
    #expect(try stored("show", "latest") == [])
    #expect(try stored("compare", "--all", "covers:naive", "latest~1") == [])
  }

  @Test func `a run of two variants ends with how they compare`() throws {
    let perfkit = try perfkit()
    let words = [
      "run", "covers", "--variant", "naive", "--variant", "optimised", "--quick", "--no-profile",
      "--no-report",
    ]
    let text = perfkit.run(words)
    let runs = perfkit("list", "runs", "--format", "csv").output.split(separator: "\n")
      .dropFirst().map { String($0.prefix { $0 != "," }) }
    // The list begins with the latest run.
    let last = try #require(text.output.split(separator: "\n\n").last)
    #expect(last.hasPrefix("covers:optimised compared with covers:naive\n"), "\(text.output)")
    #expect(last.contains("candidate  covers:optimised"), "\(text.output)")
    #expect(last.contains("perfkit compare \(runs[1]) \(runs[0]) --all"), "\(text.output)")
    #expect(last.split(separator: "\n").count <= 15)
    #expect(perfkit.run(words + ["--all"]).output.contains("covers:optimised, run r"))
    // Formats for programs have the runs alone.
    let json = try JSONSerialization.jsonObject(
      with: Data(perfkit.run(words + ["--format", "json"]).output.utf8))
    #expect((json as? [[String: Any]])?.count == 2)
  }

  @Test func `one length of a result is chosen at a time`() throws {
    let perfkit = try perfkit()
    let both = perfkit("run", "--all", "covers", "--all", "--brief")
    #expect(both.status == .usage && both.says("leave one out"))
  }

  // The folder without a limit has at most sixty covers.
  private static let calibrate = """
    calibrate: { parameter: cover_bytes, variant: naive, metric: disk.most_bytes, target: 3 MB,
                 range: 10000...300000 }
    """

  private func coverBytes(
    _ perfkit: TestCommand, _ variant: String, _ more: String...
  ) throws -> (bytes: Int, size: Double, note: String?, errors: String) {
    let result = perfkit.run(
      [
        "run", "--all", "covers", "--variant", variant, "--no-profile", "--no-report", "--format",
        "json",
        "--verbose",
      ]
        + more)
    let run = try result.json()
    let parameters = try #require(run["parameters"] as? [String: Any])
    let environment = run["environment"] as? [String: Any]
    let launches = try #require(run["iterations"] as? [[String: Any]])
    let metrics = try #require(launches.first?["metrics"] as? [String: Any])
    return (
      try #require(parameters["cover_bytes"] as? Int),
      try #require(metrics["disk.most_bytes"] as? Double),
      environment?["calibration"] as? String, result.errors
    )
  }

  @Test func `all variants have the size at which one of them reaches the target`() throws {
    let perfkit = try perfkit(Self.calibrate)
    let naive = try coverBytes(perfkit, "naive")
    // The tolerance of a calibration is 5 %.
    #expect((3e6 / 1.05...3e6 * 1.05).contains(naive.size))
    let rule = "cover_bytes 10000...300000 for disk.most_bytes(naive) = 3 MB: "
    #expect(naive.note?.hasPrefix(rule) == true)
    #expect(naive.errors.contains("calibration: launch "))
    let optimised = try coverBytes(perfkit, "optimised")
    #expect(optimised.bytes == naive.bytes)
    #expect(optimised.note == naive.note)
    // The stored size is used again.
    #expect(!optimised.errors.contains("calibration: launch "))
    let anew = try coverBytes(perfkit, "optimised", "--calibrate")
    #expect(anew.errors.contains("calibration: launch "))
    #expect(anew.note?.hasPrefix(rule) == true)
  }

  @Test func `both sides of a comparison have one calibrated size`() throws {
    let perfkit = try perfkit(Self.calibrate)
    let result = perfkit(
      "diff", "--all", "--scenario", "covers", "--variant", "naive", "--variant", "optimised",
      "--max-time", "1ns", "--no-profile", "--no-report", "--format", "json")
    let json = try result.json()
    let sizes = try ["base", "candidate"].map { side in
      let id = try #require((json[side] as? [String: Any])?["id"] as? String)
      let run = try perfkit("show", id, "--format", "json").json()
      return (run["parameters"] as? [String: Any])?["cover_bytes"] as? Int
    }
    #expect(sizes[0] != nil)
    #expect(sizes[0] == sizes[1])
  }

  @Test func `the command line and the small parameter set determine the size first`() throws {
    let perfkit = try perfkit(Self.calibrate)
    let set = try coverBytes(perfkit, "optimised", "--set", "cover_bytes=12345")
    #expect(set.bytes == 12_345)
    #expect(set.note == nil)
    let quick = try coverBytes(perfkit, "optimised", "--quick")
    #expect(quick.bytes == 40_000)
    #expect(quick.note == nil)
  }

  @Test func `a launch without the metric ends the calibration with its reason`() throws {
    let perfkit = try perfkit(
      Self.calibrate.replacing("disk.most_bytes", with: "frame.cost.p50")
        .replacing("3 MB", with: "3 ms"))
    let result = perfkit("run", "--all", "covers", "--no-profile", "--no-report")
    #expect(result.status == .failed)
    #expect(result.says("covers cannot be calibrated: the launch of naive with cover_bytes="))
    #expect(result.says("has no frame.cost.p50. Set the size with --set cover_bytes=VALUE."))
  }
}
