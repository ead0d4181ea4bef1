internal import Glibc

/// The workloads of a worker program, and its main function.
///
///     @main enum BookWorkloads {
///       static func main() {
///         WorkloadSuite(name: "BookWorkloads", workloads: [Scroll.self, ColdStart.self]).main()
///       }
///     }
public struct WorkloadSuite {
  /// Its name, normally the program's.
  public let name: String
  /// Its workloads, in the order in which they are listed.
  public let workloads: [any Workload.Type]

  /// Creates a suite.
  ///
  /// - Precondition: The workloads' names differ.
  public init(name: String, workloads: [any Workload.Type]) {
    precondition(
      Set(workloads.map { $0.name }).count == workloads.count, "two workloads have one name")
    self.name = name
    self.workloads = workloads
  }

  /// Serves the harness that started this process, then ends the process.
  ///
  /// Call it on the main thread, first thing. Without a harness it prints what the program is, and
  /// exits with 64.
  public func main() -> Never {
    guard let text = getenv("PERFKIT_CONTROL_FD").map({ String(cString: $0) }) else {
      Self.complain(
        "\(name) is a PerfKit worker: 'perfkit run' starts it. It has these workloads:\n"
          + workloads.map { "  \($0.name)  \($0.summary)\n" }.joined())
      exit(64)
    }
    guard let descriptor = Int32(text), Self.isSocket(descriptor) else {
      Self.complain("\(name): PERFKIT_CONTROL_FD is '\(text)', which is no open socket.\n")
      exit(64)
    }
    // A program that the workload starts must not keep the channel open.
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    exit(Conversation(suite: self, channel: ControlChannel(descriptor: descriptor)).run())
  }

  /// Returns the workload of a name.
  ///
  /// - Throws: `WorkloadError.unknownWorkload`.
  func workload(named name: String) throws(WorkloadError) -> any Workload.Type {
    guard let workload = workloads.first(where: { $0.name == name }) else {
      throw .unknownWorkload(name: name, known: workloads.map { $0.name })
    }
    return workload
  }

  private static func isSocket(_ descriptor: Int32) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
  }

  private static func complain(_ text: String) {
    var text = text
    text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
