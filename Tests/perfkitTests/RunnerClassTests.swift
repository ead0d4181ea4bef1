import Foundation
import PerfGate
import PerfReport
import PerfTestSupport
import Testing

@testable import perfkit

/// Jobs for classes of machines; the long form is the part `classes` of `Scripts/bench hub`.
@Suite(.enabled(if: TestPostgres.isAvailable, "\(TestPostgres.obstacle ?? "")"))
struct RunnerClassTests {
  @Test func `each job is made by the runner of its class, with the verdict of a diff by hand`()
    throws
  {
    let repository = try TestRepository(steps: 5)
    let url = try #require(TestPostgres.shared).database()
    let machine = try TestCommand()
    #expect(machine("hub", "init", url).status == .done)
    // With a wide margin, a few pairs decide that nothing changed.
    try repository.scenario("work", budget: "wall <= 60 s", margin: "50%")
    // The work triples, so that launches of some milliseconds are long enough.
    for (tag, decode) in [("v1", 5), ("v2", 5), ("v3", 25), ("v4", 5)] {
      try repository.program(decode: decode, layout: 5)
      try repository.write("note", tag)
      try repository.commit(tag)
      try repository.git("tag", tag)
    }
    // Without a limit of pairs, other tests on the same CPUs leave nothing undecided.
    let options = ["--scenario", "work", "--no-profile"]
    let classes = [("rack", ["v1", "v2"]), ("laptop", ["v2", "v3"]), ("ci", ["v3", "v4"])]
    var jobs: [String] = []
    for (name, tags) in classes {
      let submitted = repository.perfkit.run(
        ["hub", "submit", "diff"] + tags + options + [
          "--machine", name, "--repository", repository.root, "--hub", url,
        ])
      #expect(submitted.status == .done, "\(submitted.errors)")
      jobs.append(submitted.output.trimmingCharacters(in: .whitespacesAndNewlines))
    }
    // The runners come in the other order, so that none may take just the first job.
    for (place, (name, tags)) in classes.enumerated().reversed() {
      let runner = machine(
        "runner", "--once", "--class", name, "--allow", repository.root, "--hub", url,
        variables: ["HOME": machine.folder.path])
      let waited = repository.perfkit(
        "hub", "wait", jobs[place], "--max-time", "1s", "--hub", url, "--format", "json")
      let document = try waited.json()
      #expect(document["state"] as? String == "done", "\(runner.errors)")
      #expect(document["machine"] as? String == name)
      let byHand = repository.perfkit.run(["diff"] + tags + options + ["--exit-code"])
      #expect(byHand.status == (name == "laptop" ? .gateFailed : .done), "\(byHand.errors)")
      #expect(runner.status == byHand.status && waited.status == byHand.status)
      // The jobs of the other classes still wait.
      let left = machine("hub", "jobs", "--state", "waiting", "--hub", url, "--format", "json")
      #expect(JSONValue(parsing: left.output.utf8)?.elements.count == place, "\(left.output)")
    }
  }
}
