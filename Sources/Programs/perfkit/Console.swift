internal import Dispatch
internal import Foundation
internal import Glibc
internal import PerfGate
internal import PerfModel
internal import PerfReport
internal import Synchronization

/// Standard output for data and standard error for messages.
final class Console: Sendable {
  /// Writes data; returns 0 or an error number.
  private let output: @Sendable ([UInt8]) -> Int32
  private let errors: @Sendable (String) -> Void
  let isInteractive: Bool
  /// Whether standard output is a terminal, which shows colours.
  let hasColour: Bool
  /// The columns of the terminal on standard output; nil without a terminal.
  let width: Int?
  /// The columns of the terminal on standard error, which shows messages and progress; nil without a
  /// terminal.
  private let progressWidth: Int?
  private let clock: @Sendable () -> ContinuousClock.Instant
  private let progress = Mutex(Progress())
  private let writeError = Mutex<Int32?>(nil)
  private let redaction = Mutex(Redaction.none)

  /// The reason why data could not be written to standard output; nil if all data was written.
  var failure: String? { writeError.withLock { $0.map { String(cString: strerror($0)) } } }

  init(
    output: @escaping @Sendable ([UInt8]) -> Int32, errors: @escaping @Sendable (String) -> Void,
    isInteractive: Bool = false, hasColour: Bool = false, width: Int? = nil,
    progressWidth: Int? = nil,
    clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    self.output = output
    self.errors = errors
    self.isInteractive = isInteractive
    self.hasColour = hasColour
    self.width = width
    self.progressWidth = progressWidth
    self.clock = clock
  }

  static func standard() -> Console {
    Console(
      output: { write($0, to: STDOUT_FILENO) },
      errors: { _ = write(Array($0.utf8), to: STDERR_FILENO) },
      isInteractive: isatty(STDERR_FILENO) == 1, hasColour: isatty(STDOUT_FILENO) == 1,
      width: terminalWidth(of: STDOUT_FILENO), progressWidth: terminalWidth(of: STDERR_FILENO))
  }

  private static func terminalWidth(of descriptor: Int32) -> Int? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  func write(_ text: String) { write(Array(text.utf8)) }

  func write(_ bytes: [UInt8]) {
    clearBar()
    let error = output(bytes)
    if error != 0 { writeError.withLock { $0 = error } }
  }

  /// Keeps secrets out of all further messages and lines of progress.
  func redact(by redaction: Redaction) {
    self.redaction.withLock { $0 = redaction }
  }

  private func redacted(_ text: String) -> String {
    let secrets = redaction.withLock { $0 }
    return secrets(text)
  }

  /// Writes a message of one or more lines.
  ///
  /// Control characters become spaces, and no line is a command for GitHub: a message may quote the output of a
  /// measured program. A terminal would break long lines within words; elsewhere a line stays one line, for tools
  /// that search in it.
  func error(_ message: String) {
    hideBar()
    let lines = redacted(message).split(separator: "\n", omittingEmptySubsequences: false)
      .flatMap { wrapped(String($0).withoutControls) }
    errors(lines.map(\.withoutCommands).joined(separator: "\n") + "\n")
  }

  /// Writes a line that is a command for GitHub.
  func annotate(_ line: String) {
    hideBar()
    errors(redacted(line).withoutControls + "\n")
  }

  /// Returns a line in lines of the terminal's width.
  ///
  /// Indented lines are commands or tables.
  private func wrapped(_ line: String) -> [String] {
    guard let progressWidth, line.count > progressWidth, line.first?.isWhitespace == false else {
      return [line]
    }
    return TextWrapping.lines(of: line, width: progressWidth, keepsWords: true)
  }

  /// Writes the message of a failure after which the command continues.
  func report(_ failure: Failure) { error("perfkit: \(failure.message)") }

  // MARK: - Progress

  /// Shows a line of progress until the next one: on a terminal at once and each second, else every ten
  /// seconds.
  func bar(_ line: @escaping @Sendable () -> String) {
    progress.withLock { progress in
      progress.line = line
      if progress.timer == nil {
        progress.last = clock()
        progress.timer = timer()
      }
    }
    tick(isNew: true)
  }

  /// Writes the line of progress if it is due.
  func tick(isNew: Bool = false) {
    progress.withLock { progress in
      guard let line = progress.line else { return }
      if isInteractive {
        guard isNew || progress.isShown else { return }
        progress.isShown = true
        // A longer line would continue on the next line, which is not removed.
        let shown = redacted(line()).withoutControls
        errors("\r\u{1B}[K" + shown.prefix((progressWidth ?? 80) - 1))
      } else if progress.last.duration(to: clock()) >= Self.pause {
        progress.last = clock()
        errors(redacted(line()).withoutControls + "\n")
      }
    }
  }

  /// Ends the progress.
  func clearBar() {
    hideBar()
    progress.withLock { $0.line = nil }
  }

  /// Removes the line of progress from the terminal until the next one.
  private func hideBar() {
    progress.withLock { progress in
      if progress.isShown { errors("\r\u{1B}[K") }
      progress.isShown = false
    }
  }

  private func timer() -> any DispatchSourceTimer {
    let timer = DispatchSource.makeTimerSource()
    timer.schedule(deadline: .now() + 1, repeating: 1)
    timer.setEventHandler { [weak self] in self?.tick() }
    timer.resume()
    return timer
  }

  /// The time between two lines of progress without a terminal.
  private static let pause = Duration.seconds(10)

  private struct Progress {
    var line: (@Sendable () -> String)?
    /// Whether the line is on the terminal.
    var isShown = false
    /// The time of the last line without a terminal.
    var last = ContinuousClock.now
    var timer: (any DispatchSourceTimer)?
  }

  /// Writes all bytes; a closed pipe (`| head`) ends the output without an error.
  private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count < 0 { return errno == EPIPE ? 0 : errno }
      rest = rest.dropFirst(count)
    }
    return 0
  }
}
