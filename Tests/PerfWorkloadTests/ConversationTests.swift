import Foundation
import Glibc
import PerfTestSupport
import Testing

@testable import PerfWorkload

@Suite struct ConversationTests {
  @Test func `the hello describes the suite`() throws {
    let harness = try ScriptedHarness([ScriptedWorkload.self, EndlessWorkload.self])
    let hello = try harness.message("hello")
    #expect(hello["protocol"] as? Int == 1)
    #expect(hello["suite"] as? String == "Test")
    let build = try #require(hello["build"] as? [String: String])
    #expect(["debug", "release"].contains(build["configuration"]))
    #expect(build["compiler"]?.isEmpty == false)
    let workloads = try #require(hello["workloads"] as? [[String: Any]])
    #expect(workloads.map { $0["name"] as? String } == ["test", "endless"])
    #expect(workloads.map { $0["starts_at_launch"] as? Bool } == [false, true])

    let parameters = try #require(workloads[0]["parameters"] as? [[String: Any]])
    #expect(parameters.map { $0["type"] as? String } == ["string", "int", "double", "bool"])
    #expect(parameters[0]["default"] as? String == "nothing")
    #expect((parameters[0]["choices"] as? [String])?.count == 7)
    #expect(parameters[1]["default"] as? Int == 2)
    #expect(parameters[1]["minimum"] as? Int == 1)
    #expect(parameters[1]["maximum"] as? Int == 9)
    #expect(parameters[3]["default"] as? Bool == false)

    let counters = try #require(workloads[0]["counters"] as? [[String: Any]])
    #expect(counters[1]["name"] as? String == "test.bytes")
    #expect(counters[1]["unit"] as? String == "B")
    #expect(counters[1]["direction"] as? String == "lower")
    #expect(counters[1]["scale"] as? String == "ratio")
    #expect(counters[1]["deterministic"] as? Bool == true)
    harness.send(#"{"type":"quit"}"#)
    #expect(harness.end() == 0)
  }

  @Test func `setup reports progress and files and ends the worker`() throws {
    let harness = try ScriptedHarness([ScriptedWorkload.self])
    _ = try harness.message("hello")
    harness.order("setup")
    let progress = try harness.message("progress")
    #expect(progress["label"] as? String == "things")
    #expect(progress["done"] as? Int == 1)
    #expect(progress["total"] as? Int == 2)
    #expect(try harness.message("warning")["code"] as? String == "test.setup")
    let ready = try harness.message("ready")
    #expect(ready["files"] as? [String] == ["/cache/file"])
    #expect(ready["notes"] as? [String: String] == ["seed": "7"])
    #expect(harness.end() == 0)
  }

  @Test func `a launch is prepared, measured and reported as done`() throws {
    let harness = try ScriptedHarness([ScriptedWorkload.self])
    _ = try harness.message("hello")
    harness.order("prepare")
    #expect(try harness.message("warning")["message"] as? String == "3 /scratch")
    _ = try harness.message("prepared")
    harness.send(#"{"type":"measure","unknown":"keys are ignored"}"#)
    // A warning during the measured phase is kept until its end.
    #expect(try harness.message("warning")["code"] as? String == "test.measure")
    let done = try harness.message("done")
    #expect(done["counters"] as? [String: Double] == ["test.ratio": 0.75, "test.bytes": 4096])
    let began = try #require(done["began"] as? [String: UInt64])
    let ended = try #require(done["ended"] as? [String: UInt64])
    for clock in ["wall", "cpu", "user", "system"] {
      #expect(try #require(began[clock]) <= #require(ended[clock]))
    }
    harness.send(#"{"type":"pressure","level":"normal","fraction":0}"#)
    harness.send(#"{"type":"quit"}"#)
    #expect(harness.end() == 0)
  }

  @Test func `messages that are already in the channel are handled in order`() throws {
    let harness = try ScriptedHarness([ScriptedWorkload.self])
    harness.order("prepare")
    harness.send(#"{"type":"measure"}"#)
    for type in ["hello", "warning", "prepared", "warning", "done"] {
      _ = try harness.message(type)
    }
    harness.hangUp()
    #expect(harness.end() == 1)
  }

  @Test func `pressure reaches the workload during the measured phase`() throws {
    let harness = try ScriptedHarness([ScriptedWorkload.self])
    harness.order("prepare", parameters: #"{"action":"waitForPressure"}"#)
    harness.send(#"{"type":"measure"}"#)
    for type in ["hello", "warning", "prepared"] { _ = try harness.message(type) }
    // The workload waits for the second message. A handler that is added later also receives it.
    harness.send(#"{"type":"pressure","level":"warning","fraction":0.6,"budget":1}"#)
    harness.send(#"{"type":"pressure","level":"urgent","fraction":0.75,"budget":1}"#)
    _ = try harness.message("warning")
    let message = try harness.message("done")
    #expect(message["counters"] as? [String: Double] == ["test.ratio": 0.75])
    harness.send(#"{"type":"quit"}"#)
    #expect(harness.end() == 0)
  }

  @Test(arguments: [
    ("setup", "failInSetup"), ("prepare", "failInPrepare"), ("measure", "failInMeasure"),
  ])
  func `a stage that throws is reported and the worker exits with 1`(
    stage: String, action: String
  ) throws {
    let harness = try ScriptedHarness([ScriptedWorkload.self])
    harness.order(stage == "setup" ? "setup" : "prepare", parameters: #"{"action":"\#(action)"}"#)
    harness.send(#"{"type":"measure"}"#)
    let failed = try untilFailure(harness)
    #expect(failed["stage"] as? String == stage)
    #expect(failed["message"] as? String == "as asked")
    #expect(harness.end() == 1)
  }

  @Test(arguments: [
    (#"{"action":"undeclaredCounter"}"#, "'test.unknown' was reported but is not declared"),
    (#"{"action":"badCounter"}"#, "'test.ratio' was reported as inf"),
    (#"{"size":10}"#, "'size' is 10"), (#"{"sice":1}"#, "no parameter 'sice'"),
    (#"{"cold":"yes"}"#, "'cold' is yes"),
  ])
  func `an invalid counter or parameter fails the launch`(
    parameters: String, message: String
  ) throws {
    let harness = try ScriptedHarness([ScriptedWorkload.self])
    harness.order("prepare", parameters: parameters)
    harness.send(#"{"type":"measure"}"#)
    let failed = try untilFailure(harness)
    #expect((failed["message"] as? String)?.contains(message) == true)
    #expect(harness.end() == 1)
  }

  @Test(arguments: [
    "", "garbage", "[]", "7", "null", "{", #"{"type":1}"#, #"{"kind":"setup"}"#,
    #"{"type":"greeting"}"#, #"{"type":"setup"}"#, #"{"type":"setup","workload":"test"}"#,
    #"{"type":"pressure","level":"grave","fraction":1}"#, #"{"type":"pressure"}"#,
    #"{"type":"prepare","workload":"test","parameters":{},"seed":-1,"cache":"","iteration":0,"scratch":""}"#,
    #"{"type":"prepare","workload":"test","parameters":{"a":[]},"seed":1,"cache":"","iteration":0,"scratch":""}"#,
  ])
  func `a line that is not a message is refused`(line: String) throws {
    let harness = try ScriptedHarness([ScriptedWorkload.self])
    _ = try harness.message("hello")
    harness.send(line)
    let failed = try harness.message("failed")
    #expect(failed["stage"] as? String == "protocol")
    #expect((failed["message"] as? String)?.isEmpty == false)
    #expect(harness.end() == 1)
  }

  @Test func `bytes that are not text and overlong lines are refused`() throws {
    for bytes in [[0xFF, 0xFE, 0x00, 0x0A], Array(repeating: 0x78, count: 2 << 20)] as [[UInt8]] {
      let harness = try ScriptedHarness([ScriptedWorkload.self])
      _ = try harness.message("hello")
      harness.send(bytes)
      #expect(try harness.message("failed")["stage"] as? String == "protocol")
      #expect(harness.end() == 1)
    }
  }

  @Test func `a message without a newline is ignored`() throws {
    let harness = try ScriptedHarness([ScriptedWorkload.self])
    _ = try harness.message("hello")
    harness.send(Array(#"{"type":"quit"}"#.utf8))
    harness.hangUp()
    #expect(try harness.message() == nil)
    #expect(harness.end() == 1)
  }

  @Test func `a message at the wrong time is refused`() throws {
    let early = try ScriptedHarness([ScriptedWorkload.self])
    _ = try early.message("hello")
    early.send(#"{"type":"measure"}"#)
    #expect(try early.message("failed")["stage"] as? String == "measure")
    #expect(early.end() == 1)

    let twice = try ScriptedHarness([ScriptedWorkload.self])
    _ = try twice.message("hello")
    twice.order("prepare")
    twice.order("prepare")
    #expect(try untilFailure(twice)["stage"] as? String == "prepare")
    #expect(twice.end() == 1)

    let unknown = try ScriptedHarness([ScriptedWorkload.self])
    _ = try unknown.message("hello")
    unknown.order("setup", workload: "tset")
    let failed = try unknown.message("failed")
    #expect((failed["message"] as? String)?.contains("'tset'") == true)
    #expect(unknown.end() == 1)
  }

  @Test func `a closed channel ends a worker during its measured phase`() async {
    await #expect(processExitsWith: .exitCode(1)) {
      let harness = try ScriptedHarness([EndlessWorkload.self])
      harness.order("prepare", workload: "endless")
      harness.send(#"{"type":"measure"}"#)
      harness.hangUp()
      _ = harness.end()
    }
  }

  @Test func `a quit message ends a worker during its measured phase`() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let harness = try ScriptedHarness([EndlessWorkload.self])
      harness.order("prepare", workload: "endless")
      harness.send(#"{"type":"measure"}"#)
      harness.send(#"{"type":"quit"}"#)
      _ = harness.end()
      // Not reached, because the listener ends the process with status 0.
      exit(9)
    }
  }

  @Test func `an asynchronous workload is measured and reported as done`() async throws {
    let (counters, status) = try await onOwnThread {
      let harness = try ScriptedHarness([SuspendingWorkload.self])
      _ = try harness.message("hello")
      harness.order("prepare", parameters: #"{"rounds":5}"#, workload: "suspending")
      _ = try harness.message("prepared")
      harness.send(#"{"type":"measure"}"#)
      let counters = try harness.message("done")["counters"] as? [String: Double]
      harness.send(#"{"type":"quit"}"#)
      return (counters, harness.end())
    }
    #expect(counters == ["test.rounds": 5])
    #expect(status == 0)
  }

  @Test func `an asynchronous workload that throws is reported`() async throws {
    let (stage, message, status) = try await onOwnThread {
      let harness = try ScriptedHarness([SuspendingWorkload.self])
      _ = try harness.message("hello")
      harness.order("prepare", parameters: #"{"rounds":0}"#, workload: "suspending")
      _ = try harness.message("prepared")
      harness.send(#"{"type":"measure"}"#)
      let failed = try harness.message("failed")
      return (failed["stage"] as? String, failed["message"] as? String, harness.end())
    }
    #expect(stage == "measure")
    #expect(message == "as asked")
    #expect(status == 1)
  }

  @Test func `a workload marked with main is a suite of one`() async throws {
    let result = try await #require(
      processExitsWith: .exitCode(64), observing: [\.standardErrorContent]
    ) {
      unsetenv("PERFKIT_CONTROL_FD")
      EndlessWorkload.main()
    }
    let text = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(text.contains("is a PerfKit worker"))
    #expect(text.contains("endless  Never ends."))
  }

  @Test func `a worker without a harness lists its workloads and exits with 64`() async throws {
    let result = try await #require(
      processExitsWith: .exitCode(64), observing: [\.standardErrorContent]
    ) {
      unsetenv("PERFKIT_CONTROL_FD")
      WorkloadSuite(name: "Test", workloads: [ScriptedWorkload.self]).main()
    }
    let text = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(text.contains("Test is a PerfKit worker"))
    #expect(text.contains("test  Does one of several actions."))
  }

  @Test(arguments: ["", "x", "-1", "999", "0x3"])
  func `a descriptor that is not a socket makes the worker exit with 64`(value: String) async {
    await #expect(processExitsWith: .exitCode(64)) { [value] in
      setenv("PERFKIT_CONTROL_FD", value, 1)
      WorkloadSuite(name: "Test", workloads: [ScriptedWorkload.self]).main()
    }
  }

  private func untilFailure(_ harness: ScriptedHarness) throws -> [String: Any] {
    while let message = try harness.message() {
      if message["type"] as? String == "failed" { return message }
    }
    Issue.record("the worker reported no failure")
    return [:]
  }
}
