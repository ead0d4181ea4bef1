import Foundation
import PerfTestSupport
import Synchronization

@testable import PerfGate

/// A measurement in a temporary folder that records the notes of its progress.
struct TestMeasuring {
  let measuring: Measuring
  private let recorded: RecordedNotes

  /// The notes so far, a line each.
  var notes: String { recorded.text }

  init(
    in folder: TemporaryFolder, _ settings: MeasuringSettings = MeasuringSettings(),
    clock: MeasuringClock = MeasuringClock(), observe: @escaping (MeasuringEvent) -> Void = { _ in }
  ) {
    let recorded = RecordedNotes()
    self.recorded = recorded
    measuring = Measuring(
      settings: settings,
      workspace: Workspace(
        variables: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? ""],
        workingDirectory: folder.path, programDirectory: TestPrograms.folder, version: "test",
        isCancelled: { false }),
      storePath: folder(".perfkit/perfkit.sqlite"), clock: clock
    ) { event in
      if case .note(let line) = event { recorded.add(line) }
      observe(event)
    }
  }

  /// Writes the scenario `work` of two variants, a and b, of a script, and the script.
  static func writeScenario(in folder: TemporaryFolder, gate: String, script: String) throws {
    try FileManager.default.createDirectory(
      atPath: folder("Scenarios"), withIntermediateDirectories: true)
    try Executable.write("#!/bin/sh\n\(script)\n", to: folder("program"))
    try ScriptedScenario.text(gate: gate).write(
      toFile: folder("Scenarios/work.yml"), atomically: true, encoding: .utf8)
  }

  private final class RecordedNotes: Sendable {
    private let lines = Mutex<[String]>([])
    var text: String { lines.withLock { $0.joined(separator: "\n") } }
    func add(_ line: String) { lines.withLock { $0.append(line) } }
  }
}
