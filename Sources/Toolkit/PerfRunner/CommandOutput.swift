internal import Glibc

/// Runs a short command and returns what it printed.
enum CommandOutput {
  /// Returns what a command wrote, standard error included, without the newline at its end.
  ///
  /// - Returns: Nil when it cannot be started, takes over ten seconds or exits with anything but 0.
  static func of(
    _ path: String, _ arguments: [String], environment: [String: String] = [:]
  ) -> String? {
    let launch = WorkerProcess.Launch(
      path: path, arguments: arguments, environment: environment, descriptors: [])
    guard let process = try? WorkerProcess(launch),
      let ending = process.waitForEnd(deadline: SystemCalls.now() + 10_000_000_000),
      ending == .exited(0)
    else { return nil }
    return process.lastOutput()
  }
}
