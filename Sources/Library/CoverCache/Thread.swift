internal import CLinux
internal import Glibc

/// Starts a detached POSIX thread with a name and a priority of its own.
///
/// - Parameters:
///   - name: At most 15 bytes; what profilers and `top -H` show.
///   - nice: From 0, as everybody, to 19, only when nobody else wants the CPU.
///   - body: What it does until it ends.
/// - Throws: ``CoverError/noThread(code:)``.
func startThread(
  named name: String, nice: Int, body: @escaping @Sendable () -> Void
) throws(CoverError) {
  let main = Unmanaged.passRetained(
    ThreadMain {
      clinux_name_thread(name)
      // Linux keeps a nice value for each thread; 0 is the calling one.
      setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Int32(nice))
      // Whatever its nice value, a thread that is woken may otherwise run before the one that woke it
      // goes on: frames of a full scroll had a p99 of 3.3 ms that way, and have 0.7 to 2.7 ms now.
      if nice > 0 { _ = clinux_be_batch() }
      body()
    })
  var thread = pthread_t()
  let status = pthread_create(
    &thread, nil,
    { argument in
      argument.map { Unmanaged<ThreadMain>.fromOpaque($0).takeRetainedValue().body() }
      return nil
    }, main.toOpaque())
  guard status == 0 else {
    main.release()
    throw .noThread(code: status)
  }
  pthread_detach(thread)
}

/// Carries a closure into a thread.
private final class ThreadMain: Sendable {
  let body: @Sendable () -> Void
  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}
