import Foundation
import PerfTestSupport
import Testing

@testable import PerfScenario

struct ProjectFileTests {
  private func project(_ text: String) throws -> ProjectFile {
    try ProjectFile(text: text, path: "perfkit.yml")
  }

  @Test func `a project says how it is built, in one command or several`() throws {
    let one = try project("build: [make, work]\nproducts: out\nscenarios: perf")
    #expect(one.build == [["make", "work"]])
    #expect(one.products == "out")
    #expect(one.scenarios == "perf")
    #expect(one.toolchain == [])
    #expect(try project("build: [[a, b], [c]]").build == [["a", "b"], ["c"]])
  }

  @Test func `a gate has its target, its scenarios and its limits`() throws {
    let gate = try project(
      "build: [make]\ngate: { against: main, scenarios: [a, b], max_time: 10 min, quick: true }"
    ).gate
    #expect(gate.against == "main")
    #expect(gate.scenarios == ["a", "b"])
    #expect(gate.maxTime == 600_000_000_000)
    #expect(gate.isQuick)
  }

  @Test func `scenarios that no change reaches are named for all`() throws {
    #expect(try project("build: [make]\ncontrols: [a, b]").controls == ["a", "b"])
    #expect(try project("build: [make]").controls == [])
  }

  @Test func `a Swift package needs no file, and anything else does`() throws {
    let folder = try TemporaryFolder()
    #expect(try ProjectFile.ofTree(folder.path) == nil)
    try "// swift-tools-version: 6.2".write(
      toFile: folder("Package.swift"), atomically: true, encoding: .utf8)
    #expect(
      try ProjectFile.ofTree(folder.path)?.build
        == [["swift", "build", "-c", "release", "-Xswiftc", "-g"]])
    try "build: [make]".write(toFile: folder("perfkit.yml"), atomically: true, encoding: .utf8)
    #expect(try ProjectFile.ofTree(folder.path)?.build == [["make"]])
  }

  @Test(arguments: [
    ("", "perfkit.yml:1:1: the file has no content."),
    ("{}", "perfkit.yml:1:1: the project has no 'build'. Add it."),
    ("products: x", "the project has no 'build'"),
    ("build: []", "'build' must be a program and its arguments, not an empty list"),
    ("build: make", "'build' must be a list of words, or of commands"),
    ("build: [make]\nprodukts: x", "2:1: unknown key 'produkts' in the project; did you mean"),
    ("build: [make]\nproducts: ../x", "a folder of the tree"),
    ("build: [make]\nscenarios: /x", "a folder of the tree"),
    ("build: [make]\ngate: { quick: 1 }", "'quick' must be true or false"),
    ("build: [make]\ncontrols: a", "'controls' must be a list of names, not 'a'"),
    ("build: [make]\ngate: { max_time: 10 }", "has no unit"),
  ])
  func `what is wrong is said with its place`(text: String, message: String) {
    #expect {
      try project(text)
    } throws: { error in
      "\(error)".contains(message)
    }
  }
}
