public import ArgumentParser
internal import Foundation
internal import PerfGate
public import PerfHub
internal import PerfModel
internal import PerfReport

extension HubVerb {
  /// The verb `perfkit hub jobs`.
  struct Jobs: Verb {
    static let configuration = CommandConfiguration(
      abstract: "List the jobs of the hub, the latest first.",
      usage: "perfkit hub jobs [<options>]",
      discussion: """
        Example:
          perfkit hub jobs --state waiting --state running
        """)

    @Option(
      parsing: .singleValue,
      help: ArgumentHelp("List jobs in this state; repeatable. Default: all.", valueName: "state"))
    var state: [Job.State] = []

    @Option(help: ArgumentHelp("List at most this many of the latest jobs.", valueName: "n"))
    var limit = 50

    @OptionGroup(title: "Output")
    var output: OutputOptions

    @OptionGroup(title: "General")
    var place: HubPlaceOptions

    @OptionGroup(title: "General")
    var global: GlobalOptions

    func validate() throws { try check(limit, "--limit", in: 1...10_000_000) }

    func perform(_ context: Context) throws -> ExitStatus {
      let jobs = try place.connect(context).jobs(state.isEmpty ? nil : state, limit: limit)
      try output.write(Self.table(of: jobs), titled: "jobs", global: global, context: context)
      return .done
    }

    private static func table(of jobs: [Job]) -> Table {
      func short(_ revision: String) -> String {
        revision.wholeMatch(of: /[0-9a-f]{40,}/) == nil ? revision : String(revision.prefix(10))
      }
      let rows = jobs.map { job -> [Table.Cell] in
        let request = job.request
        let tone: Tone = job.state == .failed ? .bad : .plain
        return [
          .init("\(job.number)", .strong, json: .int(job.number)),
          .init(job.submitted), .init(job.state.rawValue, tone), .init(request.scenario),
          .init(short(request.base), json: .string(request.base)),
          .init(short(request.candidate), json: .string(request.candidate)),
          .init(job.machine ?? ""), .init("\(job.attempts)", json: .int(job.attempts)),
          .init(job.runner ?? ""), .init(request.repository), .init(job.comparison ?? ""),
          .init(job.message ?? ""),
        ]
      }
      return Table(
        id: "jobs", title: "Jobs",
        columns: [
          .init("job", .trailing), .init("submitted (UTC)", key: "submitted"), .init("state"),
          .init("scenario", isFlexible: true), .init("base"), .init("candidate"),
          .init("class", key: "machine", isDetail: true),
          .init("attempts", .trailing, isDetail: true), .init("runner", isDetail: true),
          .init("repository", isDetail: true), .init("comparison", isDetail: true),
          .init("result", key: "message", isDetail: true),
        ], rows: rows,
        caption: rows.isEmpty
          ? "No job matches. Submit one with 'perfkit hub submit diff A B --scenario S'." : "")
    }
  }

  /// The verb `perfkit hub cancel JOB`.
  struct Cancel: Verb {
    static let configuration = CommandConfiguration(
      abstract: "Cancel a job; a running one stops within a third of its lease.",
      usage: "perfkit hub cancel [<options>] <job>",
      discussion: """
        Example:
          perfkit hub cancel 12
        """)

    @Argument(help: ArgumentHelp("The number of the job.", valueName: "job"))
    var job: Int

    @OptionGroup(title: "Output")
    var reply: ReplyOptions

    @OptionGroup(title: "General")
    var place: HubPlaceOptions

    @OptionGroup(title: "General")
    var global: GlobalOptions

    func perform(_ context: Context) throws -> ExitStatus {
      let hub = try place.connect(context)
      let job = try hub.cancel(job)
      if reply.format == .json {
        reply.write(json: job.json(try hub.events(ofJob: job.number)), context)
      }
      switch job.state {
      case .cancelled: global.log("job \(job.number) is cancelled", context)
      case .running: global.log("job \(job.number) will stop", context)
      default: global.log("job \(job.number) has ended already: \(job.state.rawValue)", context)
      }
      return .done
    }
  }

  /// The verb `perfkit hub wait JOB`.
  struct Wait: Verb {
    static let configuration = CommandConfiguration(
      abstract: "Wait for a job, print its verdict, and exit like a gate.",
      usage: "perfkit hub wait [<options>] <job>",
      discussion: """
        Exit status: 0 if nothing regressed, 1 if something regressed, 2 if the job failed or was \
        cancelled, 3 if it is undecided or not finished in time, 4 if it is void. `perfkit hub \
        pull` with the printed comparison fetches it.

        Example:
          perfkit hub wait 12 --max-time 30min
        """)

    @Argument(help: ArgumentHelp("The number of the job.", valueName: "job"))
    var job: Int

    @Option(
      help: ArgumentHelp("Wait this long. Default: no limit.", valueName: "duration"))
    var maxTime: DurationArgument?

    @OptionGroup(title: "Output")
    var reply: ReplyOptions

    @OptionGroup(title: "General")
    var place: HubPlaceOptions

    @OptionGroup(title: "General")
    var global: GlobalOptions

    func perform(_ context: Context) throws -> ExitStatus {
      let hub = try place.connect(context)
      let end = maxTime.map { ContinuousClock.now + .nanoseconds(Int64($0.nanoseconds)) }
      var job = try hub.job(job)
      while !job.state.isFinal {
        if context.workspace.isCancelled() { throw CancellationError() }
        if let end, ContinuousClock.now >= end {
          context.console.error(
            "perfkit: job \(job.number) is still \(job.state.rawValue). It goes on; wait again, or "
              + "cancel it with 'perfkit hub cancel \(job.number)'.")
          return .inconclusive
        }
        let text = "job \(job.number) is \(job.state.rawValue)"
        context.console.bar { text }
        Thread.sleep(forTimeInterval: 1)
        job = try hub.job(job.number)
      }
      context.console.clearBar()
      let comparison = job.comparison.map { " (\($0))" } ?? ""
      reply.write(
        ["job \(job.number): \(job.state.rawValue)\(comparison): \(job.message ?? "")"],
        json: job.json(try hub.events(ofJob: job.number)), context)
      return Self.status(of: job)
    }

    private static func status(of job: Job) -> ExitStatus {
      guard job.state == .done, let status = job.status else { return .failed }
      return ExitStatus(rawValue: Int32(status)) ?? .failed
    }
  }
}

extension Job {
  /// Returns the document `perfkit.job/1`.
  func json(_ events: [Event]) -> JSONValue {
    func text(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }
    return .object([
      "schema": "perfkit.job/1", "job": .int(number), "state": .string(state.rawValue),
      "repository": .string(request.repository), "base": .string(request.base),
      "candidate": .string(request.candidate), "scenario": .string(request.scenario),
      "variant": text(request.variant), "machine": text(machine),
      "priority": .int(priority), "submitted": .string("\(submitted)"),
      "submitted_by": .string(submittedBy), "attempts": .int(attempts),
      "runner": text(runner), "comparison": text(comparison),
      "status": status.map { .int($0) } ?? .null, "message": text(message),
      "events": .array(
        events.map { event in
          .object([
            "time": .string("\(event.time)"), "event": .string(event.name),
            "runner": text(event.runner), "detail": text(event.detail),
          ])
        }),
    ])
  }
}

extension Job.State: ExpressibleByArgument {}
