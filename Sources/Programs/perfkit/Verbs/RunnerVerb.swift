internal import ArgumentParser
internal import Foundation
internal import PerfGate
internal import PerfHub
internal import PerfModel
internal import PerfReport

/// The verb `perfkit runner`.
struct RunnerVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "runner",
    abstract: "Make the comparisons that wait on a hub, on this machine.",
    usage: "perfkit runner [<options>] --allow <repository> ...",
    discussion: """
      The runner takes a job, fetches and builds both revisions, measures, and pushes the result. It \
      renews the lease of its job while it measures. If the runner dies, the lease ends, and another \
      runner takes the job. A job runs the code of its repository, so --allow names the trusted \
      repositories. Start one runner per machine: comparisons at the same time disturb each other.

      Example:
        perfkit runner --allow https://github.com/example/books.git
        perfkit runner --allow "git@example.org:team/*" --class rack --once
      """)

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Run the code of this repository; repeatable. An address that ends with * is a prefix.",
      valueName: "repository"))
  var allow: [String] = []

  @Option(
    name: .customLong("class"), parsing: .singleValue,
    help: ArgumentHelp(
      "Take jobs for this class of machines, too; repeatable. The runner always takes jobs for any "
        + "machine, this host or this machine.", valueName: "name"))
  var classes: [String] = []

  @Flag(help: "Take one job that waits, and exit with its status; exit with 3 if none waits.")
  var once = false

  @Option(
    help: ArgumentHelp(
      "Let another runner take the job this long after the last sign of life.",
      valueName: "duration"))
  var lease = DurationArgument(60_000_000_000)

  @Option(
    help: ArgumentHelp("Fetch the repositories into this folder.", valueName: "dir"))
  var folder = ".perfkit/runner"

  @OptionGroup(title: "General")
  var place: HubPlaceOptions

  @OptionGroup(title: "General")
  var global: GlobalOptions

  func validate() throws {
    guard !allow.isEmpty else {
      throw ValidationError(
        "a job is code to run: pass --allow with the address of each trusted repository.")
    }
    try check(Int(lease.nanoseconds / 1_000_000_000), "--lease", in: 1...86_400, " s")
  }

  func perform(_ context: Context) throws -> ExitStatus {
    // After a stop, the job is still given back: the connection's own deadlines end it.
    var calm = context
    calm.workspace = context.workspace.unstoppable
    let connect = { [calm, place] in try place.connect(calm) }
    let environment = context.workspace.environment()
    let host = environment[.host] ?? "unknown"
    let runner = Runner(
      name: "\(host):\(ProcessInfo.processInfo.processIdentifier):"
        + String(UInt32.random(in: 0...UInt32.max), radix: 16),
      classes: classes + [host, environment.machine],
      lease: .seconds(Int64(lease.nanoseconds / 1_000_000_000)),
      jobs: JobRunner(
        context: context, storePath: global.storePath(context),
        folder: context.workspace.absolute(folder), allowed: allow),
      connect: connect, log: { global.log($0, context) })
    let first = try connect()
    if once { return try runner.takeJob(first) ?? .inconclusive }
    global.log("runner \(runner.name) waits for jobs of '\(first.name)'", context)
    var connection: Hub? = first
    while !context.workspace.isCancelled() {
      do {
        let hub = try connection ?? connect()
        connection = hub
        if try runner.takeJob(hub) == nil { Thread.sleep(forTimeInterval: 1) }
      } catch let error as HubError {
        context.console.error("perfkit: \(error)")
        // The next connection reports why it cannot be made.
        connection = nil
        Thread.sleep(forTimeInterval: 5)
      }
    }
    return .interrupted
  }

  /// Takes jobs one after the other.
  private struct Runner {
    let name: String
    let classes: [String]
    let lease: Duration
    let jobs: JobRunner
    let connect: () throws -> Hub
    let log: (String) -> Void

    /// Takes and performs a job; returns its status, or nil if none waits.
    func takeJob(_ hub: Hub) throws -> ExitStatus? {
      guard let job = try hub.take(as: name, classes: classes, lease: lease) else { return nil }
      let request = job.request
      log(
        "job \(job.number): \(request.scenario) of \(request.repository), \(request.base) to "
          + request.candidate)
      let lease = JobLease(of: job, hub, for: self.lease, connect: connect)
      guard let outcome = jobs.perform(job, lease) else {
        log("job \(job.number): the lease was lost; another runner may have it")
        return .failed
      }
      let isRecorded = try lease.use { hub in
        try hub.finish(
          job, outcome.state, comparison: outcome.comparison,
          status: (outcome.status?.rawValue).map { Int($0) }, message: outcome.message)
      }
      log(
        "job \(job.number): \(outcome.state.rawValue). \(outcome.message)"
          + (isRecorded ? "" : " The lease was lost before."))
      return outcome.status ?? (outcome.state == .waiting ? .interrupted : .failed)
    }
  }
}
