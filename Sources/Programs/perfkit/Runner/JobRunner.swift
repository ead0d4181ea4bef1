internal import Foundation
internal import PerfGate
internal import PerfHub
internal import PerfModel
internal import PerfReport
internal import PerfStore

/// Makes the comparisons of jobs on this machine, each in a child process.
struct JobRunner {
  /// The result of a job.
  struct Outcome {
    let state: Job.State
    var comparison: String?
    var status: ExitStatus?
    let message: String
  }

  let context: Context
  let storePath: String
  /// The folder of the copies of repositories.
  let folder: String
  /// The addresses of repositories whose code this machine runs; one that ends with * is a prefix.
  let allowed: [String]

  /// Makes the comparison of a job, and pushes it.
  ///
  /// - Returns: The outcome; nil if the lease was lost.
  func perform(_ job: Job, _ lease: JobLease) -> Outcome? {
    let outcome: Outcome
    do {
      outcome = try measure(job.request, lease)
    } catch {
      outcome = Outcome(state: .failed, message: Failure(error).message)
    }
    switch lease.state {
    case .lost: return nil
    case .stopping: return Outcome(state: .cancelled, message: "It was cancelled.")
    case .held:
      // Another runner can make the comparison.
      guard !context.workspace.isCancelled() else {
        return Outcome(state: .waiting, message: "The runner was stopped.")
      }
      return outcome
    }
  }

  private func measure(_ request: JobRequest, _ lease: JobLease) throws -> Outcome {
    try checkAllowed(request.repository)
    let isWanted = { !context.workspace.isCancelled() && lease.extend() }
    let copy = try RepositoryCopy(of: request.repository, in: folder, context, isWanted: isWanted)
    let commits = try [request.base, request.candidate].map(copy.commit)
    try copy.checkOut(commits[1])
    // The runner itself pushes, as long as it has the lease. The names of libpq's variables begin
    // with PG; some contain passwords, or paths of files with passwords.
    var variables = context.workspace.variables.filter { !$0.key.hasPrefix("PG") }
    variables["PERFKIT_HUB"] = ""
    // The comparison of a runner that is killed ends, too: the next runner needs the machine.
    let child = try ChildProgram(
      ChildProgram.Program(
        path: "/usr/bin/setpriv", directory: copy.folder, variables: variables),
      ["--pdeathsig", "TERM", context.workspace.program] + words(request, commits))
    let status = ExitStatus(rawValue: child.finish(while: isWanted)) ?? .failed
    let document = JSONValue(parsing: child.text)
    guard case .string(let id)? = document?["id"],
      case .string(let sentence)? = document?["sentence"]
    else {
      return Outcome(state: .failed, status: .failed, message: Self.error(in: child.messages))
    }
    let store = try RunStore(path: storePath, access: .reading)
    if let runs = try store.comparisonRuns(id) {
      try lease.push(runs, of: store)
    }
    return Outcome(state: .done, comparison: id, status: status, message: sentence)
  }

  /// Returns the error in the messages of `perfkit`, which follows the lines of its progress.
  private static func error(in messages: [String]) -> String {
    let opening = "perfkit: "
    let start = messages.lastIndex {
      $0.hasPrefix(opening) && !$0.hasPrefix(opening + "warning: ")
    }
    guard let start else {
      return messages.suffix(3).joined(separator: " ")
    }
    return String(messages[start...].joined(separator: " ").dropFirst(opening.count))
  }

  /// Refuses a repository that is not on the list: a job is code to run.
  private func checkAllowed(_ repository: String) throws {
    let isAllowed = allowed.contains { pattern in
      pattern.hasSuffix("*")
        ? repository.hasPrefix(pattern.dropLast()) && !repository.contains("..")
        : repository == pattern
    }
    guard isAllowed else {
      throw Failure(
        "this runner does not run the code of repository '\(repository)'. Start it with --allow and "
          + "the address if you trust it.")
    }
  }

  private func words(_ request: JobRequest, _ commits: [String]) -> [String] {
    var words = ["diff", commits[0], commits[1], "--scenario=\(request.scenario)"]
    if let variant = request.variant { words.append("--variant=\(variant)") }
    if let maxPairs = request.maxPairs { words.append("--max-pairs=\(maxPairs)") }
    if let maxTime = request.maxTime { words.append("--max-time=\(maxTime)ns") }
    if request.isQuick { words.append("--quick") }
    if !request.isProfiled { words.append("--no-profile") }
    return words + ["--store", storePath, "--exit-code", "--format", "json"]
  }
}
