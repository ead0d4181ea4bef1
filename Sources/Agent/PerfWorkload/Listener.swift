internal import Glibc
internal import Synchronization

/// Reads the control channel during and after the measured phase, on its own thread.
///
/// A worker whose harness is gone, or asks it to quit, must end without finishing its work.
final class Listener: Sendable {
  private let channel: LineChannel
  private let context: MeasurementContext
  private let isMeasuring = Atomic(true)
  private let isListening = Atomic(false)

  init(channel: LineChannel, context: MeasurementContext) {
    self.channel = channel
    self.context = context
  }

  /// Starts the thread; from now on no other thread may read the channel.
  ///
  /// Returns when the thread is about to wait for a line, so that its start and its allocations are
  /// not part of the measured phase.
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

  /// Makes the end of the conversation end the thread instead of the process.
  func measuredPhaseHasEnded() {
    isMeasuring.store(false, ordering: .releasing)
  }

  private func listen() -> Int32 {
    Self.nameThread("perfkit-channel")
    isListening.store(true, ordering: .releasing)
    channel.waitForInput()
    let status = exitStatus()
    // The workload's threads are still running, so exit handlers must not run.
    if isMeasuring.load(ordering: .acquiring) { _exit(status) }
    return status
  }

  /// Delivers pressure messages until the conversation ends, and returns the exit status.
  private func exitStatus() -> Int32 {
    while true {
      do {
        switch try channel.nextMessage() {
        case nil: return 1
        case .quit: return 0
        case .pressure(let pressure):
          context.deliverPressure(pressure.level, fraction: pressure.fraction)
        case .some(let message):
          throw WorkloadError.outOfOrder(message: message.kind.rawValue, expected: "'quit'")
        }
      } catch {
        channel.send(.failed(stage: "measure", message: "\(error)"))
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
