import Foundation
import PerfTestSupport

@testable import perfkit

/// A repository whose folder Benchmarks is a package with a suite, and a stand-in for Swift's compiler.
///
/// The suite is a script that speaks package-benchmark's protocol and reports times that are written into
/// it, so that results do not depend on the machine.
struct SuiteRepository {
  let repository: TestRepository
  private let tools: TemporaryFolder

  /// Creates the repository with one commit.
  ///
  /// - Parameter benchmarks: The nanoseconds of an iteration of each benchmark.
  /// - Throws: A file error, or `GitFailed`.
  init(_ benchmarks: [String: Int]) throws {
    repository = try TestRepository(ignored: ".build\n.perfkit\nReports\n")
    for path in ["perfkit.yml", "Scenarios"] {
      try FileManager.default.removeItem(atPath: "\(repository.root)/\(path)")
    }
    tools = try TemporaryFolder()
    try Executable.write(
      """
      #!/bin/sh
      case "$1" in
      package) cat manifest.json ;;
      build) mkdir -p .build/release && cp -p suite.py .build/release/Suite ;;
      --version) echo "Swift, as the tests see it" ;;
      esac
      """, to: tools("swift"))
    try repository.write(
      "Benchmarks/Package.swift", "// plugins: [.plugin(name: \"BenchmarkPlugin\")]\n")
    // As `swift package dump-package` of Swift 6.3 prints it, without the keys that are not read.
    try repository.write(
      "Benchmarks/manifest.json",
      """
      {"targets": [
        {"name": "Tool", "type": "executable"},
        {"name": "Suite", "type": "executable",
         "pluginUsages": [{"plugin": ["BenchmarkPlugin", "package-benchmark"]}]}]}
      """)
    try write(benchmarks)
    try repository.commit("Suite")
  }

  /// Writes the suite with other benchmarks.
  ///
  /// - Parameters:
  ///   - benchmarks: The nanoseconds of an iteration of each benchmark.
  ///   - answer: A statement that runs before a benchmark.
  /// - Throws: A file error.
  func write(_ benchmarks: [String: Int], before answer: String = "pass") throws {
    let list = benchmarks.sorted { $0.key < $1.key }.map { "\"\($0.key)\": \($0.value)" }
    try Executable.write(
      """
      #!/usr/bin/env python3
      import json, os, struct, sys
      benchmarks = {\(list.joined(separator: ", "))}
      requests = int(sys.argv[sys.argv.index("--input-fd") + 1])
      replies = int(sys.argv[sys.argv.index("--output-fd") + 1])

      def read():
          length = struct.unpack("q", os.read(requests, 8))[0]
          return json.loads(os.read(requests, length))

      def write(message):
          text = json.dumps(message).encode()
          os.write(replies, struct.pack("q", len(text)) + text)

      def benchmark(name):
          own = {"custom": {"_0": "Books / s", "polarity": {"prefersLarger": {}},
                            "useScalingFactor": False}}
          return {"name": name, "target": "", "configuration": {
              "metrics": [{"mallocCountTotal": {}}, own], "maxIterations": 10,
              "maxDuration": [542101, 1590897978359414784]}}

      def result(metric, value):
          counts = [0] * 2048
          counts[value] = 10
          return {"metric": metric, "scalingFactor": 1000, "warmupIterations": 2,
                  "timeUnits": "nanoseconds", "tags": {}, "statistics": {"histogram": {
                  "counts": counts, "subBucketHalfCountMagnitude": 10, "unitMagnitude": 0}}}

      while True:
          kind, content = next(iter(read().items()))
          if kind == "end":
              break
          if kind == "list":
              for name in benchmarks:
                  write({"list": {"benchmark": benchmark(name)}})
          if kind == "run":
              \(answer)
              given = content["benchmark"]
              # One in twenty launches differs by 0.1 %.
              time = benchmarks[given["name"]] + (os.getpid() % 20 == 0)
              write({"result": {"benchmark": given, "results": [
                  result(metric, time if "wallClock" in metric else 300)
                  for metric in given["configuration"]["metrics"]]}})
          write({"end": {}})
      """, to: repository.root + "/Benchmarks/suite.py")
  }

  /// Runs a command line in the repository, with the stand-in for Swift's compiler.
  func perfkit(_ words: String...) -> TestCommand.Result { run(words) }

  /// Measures suites without a profile.
  func measure(_ words: String...) -> TestCommand.Result {
    run(words + ["--package-benchmark", "--no-profile"])
  }

  /// Runs a command line in a folder of the repository, with the stand-in for Swift's compiler.
  func run(_ words: [String], below place: String = "") -> TestCommand.Result {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return repository.perfkit.run(
      words, below: place, variables: ["PATH": "\(tools.path):\(path)"])
  }
}
