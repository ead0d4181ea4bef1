internal import Glibc
internal import Synchronization

/// Reads the control channel beside the measured phase and after it, on a thread of its own.
///
/// A harness that is gone, or wants an end, must not have to wait for the measured phase.
final class Listener: Sendable {
  private let channel: ControlChannel
  private let context: MeasurementContext
  private let isMeasuring = Atomic(true)
  private let isListening = Atomic(false)

  /// Creates a listener that does not listen yet.
  init(channel: ControlChannel, context: MeasurementContext) {
    self.channel = channel
    self.context = context
  }

  /// Starts the thread; from now on nobody else may read the channel.
  ///
  /// It returns when the thread waits for a line: nothing of its begin, and nothing that it allocates
  /// for that, falls into the measured phase.
  ///
  /// - Throws: `WorkloadError.noThread`.
  func start() throws(WorkloadError) -> pthread_t {
    var thread = pthread_t()
    let listener = Unmanaged.passRetained(self)
    let code = pthread_create(
      &thread, nil,
      { listener in
        guard let listener else { return nil }
        let status = Unmanaged<Listener>.fromOpaque(listener).takeRetainedValue().listen()
        return UnsafeMutableRawPointer(bitPattern: Int(status))
      }, listener.toOpaque())
    guard code == 0 else {
      listener.release()
      throw .noThread(reason: String(cString: strerror(code)))
    }
    while !isListening.load(ordering: .acquiring) { sched_yield() }
    return thread
  }

  /// Says that the measured phase is over, so that an end of the channel ends the thread alone.
  func measuredPhaseHasEnded() {
    isMeasuring.store(false, ordering: .releasing)
  }

  private func listen() -> Int32 {
    Self.nameThread("perfkit-channel")
    isListening.store(true, ordering: .releasing)
    channel.wait()
    let status = exitStatus()
    // The workload's threads are in the middle of something, so no exit handler may run.
    if isMeasuring.load(ordering: .acquiring) { _exit(status) }
    return status
  }

  /// Passes pressure on until the conversation is over.
  private func exitStatus() -> Int32 {
    while true {
      do {
        switch try channel.nextMessage() {
        case nil: return 1
        case .quit: return 0
        case .pressure(let level, let fraction): context.deliverPressure(level, fraction: fraction)
        case .some(let message):
          throw WorkloadError.outOfOrder(message: message.type, expected: "'quit'")
        }
      } catch {
        channel.send(WorkerMessage.failed(stage: "measure", message: "\(error)").line())
        return 1
      }
    }
  }

  /// Names the calling thread; Swift's Glibc module lacks `pthread_setname_np`.
  private static func nameThread(_ name: StaticString) {
    let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    _ = write(file, name.utf8Start, name.utf8CodeUnitCount)
    close(file)
  }
}
