internal import CPerfFormat
internal import Dispatch
internal import Glibc

/// The workloads of a worker program, and its main function.
///
///     // main.swift
///     import PerfWorkload
///
///     WorkloadSuite(name: "BookWorkloads", workloads: [Scroll.self, ColdStart.self]).main()
public struct WorkloadSuite {
  let name: String
  let workloads: [any WorkloadDefinition.Type]

  /// Creates a suite.
  ///
  /// - Parameters:
  ///   - name: The name in reports, normally the program's.
  ///   - workloads: The workloads, in the order in which `perfkit list` prints them.
  /// - Precondition: The workloads have different names, and each conforms to ``Workload`` or
  ///   ``AsyncWorkload``.
  public init(name: String, workloads: [any WorkloadDefinition.Type]) {
    precondition(
      Set(workloads.map { $0.name }).count == workloads.count, "two workloads have the same name")
    precondition(
      workloads.allSatisfy { $0 is any Workload.Type || $0 is any AsyncWorkload.Type },
      "a workload conforms neither to Workload nor to AsyncWorkload")
    self.name = name
    self.workloads = workloads
  }

  /// Serves the harness that started this process, then ends the process.
  ///
  /// Call it first, on the main thread. A process that no harness started prints its workloads to
  /// standard error and exits with status 64.
  public func main() -> Never {
    guard let text = perf_environment("PERFKIT_CONTROL_FD").map({ String(cString: $0) }) else {
      Self.print(
        "\(name) is a PerfKit worker, which 'perfkit run' starts. Its workloads:\n"
          + workloads.map { "  \($0.name)  \($0.summary)\n" }.joined())
      exit(64)
    }
    guard let descriptor = Int32(text), Self.isSocket(descriptor) else {
      Self.print(
        "\(name): PERFKIT_CONTROL_FD is '\(text)', which is not an open socket. "
          + "Start the worker with 'perfkit run'.\n")
      exit(64)
    }
    serve(on: descriptor)
    // The conversation is still running only if the workload is asynchronous.
    dispatchMain()
  }

  /// Serves the harness, then ends the process; returns before that only while an asynchronous
  /// workload is measured on the main actor.
  ///
  /// - Parameter descriptor: The socket of the control channel.
  package func serve(on descriptor: Int32) {
    // A program that the workload starts must not keep the channel open.
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    Conversation(suite: self, channel: LineChannel(descriptor: descriptor)).run { exit($0) }
  }

  /// Finds a workload by its name.
  ///
  /// - Throws: `WorkloadError.unknownWorkload` if the suite has no such workload.
  func workload(named name: String) throws(WorkloadError) -> any WorkloadDefinition.Type {
    guard let workload = workloads.first(where: { $0.name == name }) else {
      throw .unknownWorkload(name: name, known: workloads.map { $0.name })
    }
    return workload
  }

  private static func isSocket(_ descriptor: Int32) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
  }

  private static func print(_ text: String) {
    var text = text
    text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
