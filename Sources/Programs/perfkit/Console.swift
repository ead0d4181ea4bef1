internal import Foundation
internal import Glibc
internal import Synchronization

/// Standard output for data, standard error for everything else.
final class Console: Sendable {
  /// Returns 0 or an error number.
  private let output: @Sendable ([UInt8]) -> Int32
  private let errors: @Sendable (String) -> Void
  /// Whether a person watches standard error.
  let isInteractive: Bool
  /// Whether standard output understands colours.
  let hasColour: Bool
  /// Columns of the terminal on standard output; nil where there is none.
  let width: Int?
  private let hasBar = Mutex(false)
  private let loss = Mutex<Int32?>(nil)

  /// Why data could not be written to standard output, in the system's words; nil when all was.
  var failure: String? { loss.withLock { $0.map { String(cString: strerror($0)) } } }

  /// Creates a console of two writers.
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

  /// The console of the process.
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

  /// Writes data.
  func write(_ text: String) { write(Array(text.utf8)) }

  /// Writes data that is no text.
  func write(_ bytes: [UInt8]) {
    clearBar()
    let error = output(bytes)
    if error != 0 { loss.withLock { $0 = error } }
  }

  /// Writes a line to standard error.
  func error(_ line: String) {
    clearBar()
    errors(line + "\n")
  }

  /// Shows a line that the next one replaces; only a person sees it.
  func bar(_ line: String) {
    guard isInteractive else { return }
    hasBar.withLock { $0 = true }
    errors("\r\u{1B}[K" + line)
  }

  func clearBar() {
    let wasShown = hasBar.withLock { shown in
      defer { shown = false }
      return shown
    }
    if wasShown { errors("\r\u{1B}[K") }
  }

  /// Writes everything; a reader that has gone away (`| head`) ends the writing, and is no error.
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
