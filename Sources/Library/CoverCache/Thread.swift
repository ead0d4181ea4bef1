internal import CLinux
internal import Glibc

/// Starts a detached POSIX thread with a name of at most 15 bytes and a nice value.
func startThread(
  named name: String, nice: Int, body: @escaping @Sendable () -> Void
) throws(CoverError) {
  let main = Unmanaged.passRetained(
    ThreadMain {
      clinux_name_thread(name)
      // Linux keeps a nice value per thread; 0 is the calling one.
      setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Int32(nice))
      // Even with a high nice value, a woken thread may preempt the thread that woke it. As a batch
      // thread it does not, which lowers the p99 of frames in a full scroll from 3.3 ms to between
      // 0.7 and 2.7 ms.
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
