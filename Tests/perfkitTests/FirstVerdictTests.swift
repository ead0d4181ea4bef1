import Foundation
import PerfGate
import PerfTestSupport
import Testing

@testable import perfkit

/// The way from a Swift package with two workloads to the first verdict of a gate.
struct FirstVerdictTests {
  private static let second = """
    struct Second: Workload {
      static let name = "second"
      static let summary = "Reverses numbers."

      private var numbers: [Int]

      init(_ context: PreparationContext) { numbers = Array(0..<300_000) }

      mutating func measure(_ context: MeasurementContext) { numbers.reverse() }
    }

    @main
    enum Worker {
      static func main() {
        WorkloadSuite(name: "Workloads", workloads: [First.self, Second.self]).main()
      }
    }

    """

  /// A folder with a stand-in for Swift's compiler.
  ///
  /// Its build writes a worker whose second workload counts to the number in the library.
  private static func compiler() throws -> TemporaryFolder {
    let tools = try TemporaryFolder()
    let worker = ScriptedWorker.text([
      "first": ScriptedWorker.done,
      "second": "i=0; while [ $i -lt STEPS ]; do i=$((i + 1)); done; \(ScriptedWorker.done)",
    ])
    try worker.write(toFile: tools("worker.sh"), atomically: true, encoding: .utf8)
    try Executable.write(
      """
      #!/bin/sh
      case "$1" in
      build)
        steps=$(sed -n 's/.*steps = //p' Sources/Shelf/Shelf.swift)
        mkdir -p Workloads/.build/release
        sed "s/STEPS/$steps/" '\(tools("worker.sh"))' > Workloads/.build/release/Workloads
        chmod +x Workloads/.build/release/Workloads ;;
      --version) echo "Swift, as the tests see it" ;;
      esac
      """, to: tools("swift"))
    return tools
  }

  @Test func `two files and three commands lead from a package to a verdict on two workloads`()
    throws
  {
    let repository = try TestRepository(ignored: ".build\n.perfkit\nReports\n")
    for path in ["perfkit.yml", "Scenarios", "build.sh", "work.c"] {
      try FileManager.default.removeItem(atPath: "\(repository.root)/\(path)")
    }
    try repository.write(
      "Package.swift",
      #"Package(name: "Shelf", products: [.library(name: "Shelf", targets: ["Shelf"])])"#)
    try repository.write("Sources/Shelf/Shelf.swift", "public let steps = 5000\n")
    try repository.commit("A package")
    let tools = try Self.compiler()
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    func perfkit(_ words: String...) -> TestCommand.Result {
      repository.perfkit.run(words, variables: ["PATH": "\(tools.path):\(path)"])
    }

    // The first command, then the two files that are written by hand.
    let made = perfkit("init")
    #expect(made.status == .done, "\(made.errors)")
    let source = "Workloads/Sources/Workloads/First.swift"
    let text = try repository.folder.text(source).replacing("@main\n", with: "") + Self.second
    #expect(try DocumentTests.errors(compiling: text.replacing("import Shelf\n", with: "")) == "")
    let scenario = try repository.folder.text("Scenarios/first.yml")
    for (file, content) in [
      (source, text), ("Scenarios/second.yml", scenario.replacing("first", with: "second")),
    ] {
      try repository.write(file, content)
    }
    // The second command, and the user's change: the second workload takes four times as long. Other
    // programs on the machine at most double its CPU time.
    try repository.commit("Measure")
    try repository.write("Sources/Shelf/Shelf.swift", "public let steps = 20000\n")
    // The third command. By LookSchedule's table, the first look of four metrics is after 12 pairs; a
    // limit of time could end the gate before that on a busy machine.
    let gate = perfkit("gate", "--against", "HEAD", "--no-profile", "--max-pairs", "12")
    #expect(gate.status == .gateFailed, "\(gate.output)\(gate.errors)")
    #expect(gate.prints("failure: second:default: Regressed: "), "\(gate.output)")
    #expect(gate.prints("cpu.total rose by"), "\(gate.output)")
    let results = try #require(repository.verdict()["results"] as? [[String: Any]])
    let subjects = results.compactMap { $0["subject"] as? String }
    #expect(Set(subjects) == ["first:default", "second:default"])
  }
}
