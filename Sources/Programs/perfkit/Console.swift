internal import Foundation
internal import Glibc
internal import PerfGate
internal import PerfModel
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
  private let hasBar = Mutex(false)
  private let writeError = Mutex<Int32?>(nil)

  /// The reason why data could not be written to standard output; nil if all data was written.
  var failure: String? { writeError.withLock { $0.map { String(cString: strerror($0)) } } }

  init(
    output: @escaping @Sendable ([UInt8]) -> Int32, errors: @escaping @Sendable (String) -> Void,
    isInteractive: Bool = false, hasColour: Bool = false, width: Int? = nil
  ) {
    self.output = output
    self.errors = errors
    self.isInteractive = isInteractive
    self.hasColour = hasColour
    self.width = width
  }

  static func standard() -> Console {
    Console(
      output: { write($0, to: STDOUT_FILENO) },
      errors: { _ = write(Array($0.utf8), to: STDERR_FILENO) },
      isInteractive: isatty(STDERR_FILENO) == 1, hasColour: isatty(STDOUT_FILENO) == 1,
      width: terminalWidth())
  }

  private static func terminalWidth() -> Int? {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  func write(_ text: String) { write(Array(text.utf8)) }

  func write(_ bytes: [UInt8]) {
    clearBar()
    let error = output(bytes)
    if error != 0 { writeError.withLock { $0 = error } }
  }

  /// Writes a message of one or more lines.
  ///
  /// Control characters become spaces: a message may quote the output of a measured program.
  func error(_ message: String) {
    clearBar()
    let lines = message.split(separator: "\n", omittingEmptySubsequences: false)
    errors(lines.map { String($0).withoutControls }.joined(separator: "\n") + "\n")
  }

  /// Writes the message of a failure after which the command continues.
  func report(_ failure: Failure) { error("perfkit: \(failure.message)") }

  /// Shows a line on a terminal, which the next line replaces.
  func bar(_ line: String) {
    guard isInteractive else { return }
    hasBar.withLock { $0 = true }
    errors("\r\u{1B}[K" + line.withoutControls)
  }

  func clearBar() {
    let wasShown = hasBar.withLock { shown in
      defer { shown = false }
      return shown
    }
    if wasShown { errors("\r\u{1B}[K") }
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
