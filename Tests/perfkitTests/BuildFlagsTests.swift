import Foundation
import Glibc
import PerfGate
import PerfTestSupport
import Testing

@testable import perfkit

/// The toolchain and flags by which revisions are built.
@Suite(.serialized)
struct BuildFlagsTests {
  private let repository: TestRepository

  init() throws {
    repository = try TestRepository()
    try repository.write("build.sh", "mkdir -p bin && cc $@ -g -o bin/work work.c\n")
    try recipe("-O1")
    try repository.commit("Take flags")
  }

  private func recipe(_ flag: String) throws {
    try repository.write(
      "perfkit.yml",
      """
      build: [/bin/sh, build.sh, \(flag)]
      products: bin
      toolchain: [cc, --version]
      """)
  }

  /// Compares HEAD with itself, and returns the id and environment of the candidate's run.
  private func measure() throws -> (run: String, environment: [String: String]) {
    let diff = repository.perfkit(
      "diff", "--all", "HEAD", "HEAD", "--scenario", "work", "--no-report", "--no-profile",
      "--max-time",
      "1ns", "--measure-same", "--format", "json")
    #expect(diff.status == .done, "\(diff.errors)")
    let comparison = try diff.json()
    let side = try #require(comparison["candidate"] as? [String: Any])
    let run = try #require(side["id"] as? String)
    let shown = try repository.perfkit("show", run, "--format", "json").json()
    return (run, try #require(shown["environment"] as? [String: String]))
  }

  @Test func `runs of builds with different flags cannot be compared`() throws {
    let first = try measure()
    #expect(first.environment["build.flags"] == "/bin/sh build.sh -O1")
    #expect(first.environment["toolchain"]?.isEmpty == false)
    try recipe("-O0")
    let second = try measure()
    let compared = repository.perfkit(
      "compare", first.run, second.run, "--exit-code", "--format", "json")
    #expect(compared.status == .void, "\(compared.output)")
    let differences = try compared.json()["environment_differences"] as? [[String: Any]]
    #expect(differences?.compactMap { $0["key"] as? String }.contains("build.flags") == true)
  }

  @Test func `a comparison of runs with unknown build flags has a warning`() throws {
    func run() throws -> String {
      try repository.build()
      let run = try repository.perfkit(
        "run", "--all", "work", "--no-report", "--no-profile", "--iterations", "2", "--format",
        "json"
      ).json()
      #expect((run["environment"] as? [String: String])?["build.id"]?.count == 16)
      return try #require(run["id"] as? String)
    }
    func warnings(_ base: String, _ candidate: String) throws -> [String] {
      let compared = try repository.perfkit("compare", base, candidate, "--format", "json").json()
      let warnings = try #require(compared["warnings"] as? [[String: Any]])
      return warnings.compactMap { $0["code"] as? String }
    }
    let first = try run()
    let same = try run()
    #expect(try !warnings(first, same).contains("comparison.flags_unknown"))
    try repository.program(decode: 10, layout: 20)
    #expect(try warnings(first, run()).contains("comparison.flags_unknown"))
  }

  @Test func `the doctor reports kernel, compiler, flags and settings, or that they are unknown`()
    throws
  {
    let result = repository.perfkit("doctor", "--format", "json")
    let findings = try #require(
      JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]])
    func found(_ subject: String) -> String? {
      findings.first { $0["subject"] as? String == subject }?["found"] as? String
    }
    #expect(found("build flags") == "/bin/sh build.sh -O1")
    #expect(found("toolchain")?.isEmpty == false)
    #expect(found("toolchain")?.contains("Copyright") == false)
    for subject in ["kernel", "load", "steal", "turbo", "address randomisation"] {
      #expect(found(subject)?.isEmpty == false, "\(subject)")
    }
    let states = findings.compactMap { $0["state"] as? String }
    #expect(!states.contains("missing"))
    #expect(result.status == (states.contains("disturbed") ? .inconclusive : .done))
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/taskset")))
  func `the doctor counts only the CPUs of its affinity mask`() throws {
    let doctor = Process()
    doctor.executableURL = URL(fileURLWithPath: "/bin/sh")
    // The first CPU of this process, from a list such as `0-3,8`.
    doctor.arguments = [
      "-c",
      "first=$(taskset -pc $$ | sed 's/.*: //; s/[-,].*//'); "
        + "exec taskset -c $first '\(TestCommand.programs)/perfkit' doctor --format json",
    ]
    doctor.currentDirectoryURL = URL(fileURLWithPath: repository.root)
    let output = Pipe()
    doctor.standardOutput = output
    try doctor.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    doctor.waitUntilExit()
    let findings = try #require(JSONSerialization.jsonObject(with: data) as? [[String: Any]])
    let processors = try #require(findings.first { $0["subject"] as? String == "CPUs" })
    let found = try #require(processors["found"] as? String)
    #expect(found.hasPrefix("1 x "))
    let online = sysconf(Int32(_SC_NPROCESSORS_ONLN))
    #expect(found.contains(", of \(online): an affinity mask") == (online > 1))
  }
}
