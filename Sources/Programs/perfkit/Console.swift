internal import Foundation
internal import Glibc
internal import Synchronization

/// Standard output for data, standard error for everything else.
final class Console: Sendable {
  private let output: @Sendable (String) -> Void
  private let errors: @Sendable (String) -> Void
  /// Whether a person watches standard error.
  let isInteractive: Bool
  /// Whether standard output understands colours.
  let hasColour: Bool
  /// Columns of the terminal on standard output; nil where there is none.
  let width: Int?
  private let hasBar = Mutex(false)

  /// Creates a console of two writers.
  init(
    output: @escaping @Sendable (String) -> Void, errors: @escaping @Sendable (String) -> Void,
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
      output: { write($0, to: STDOUT_FILENO) }, errors: { write($0, to: STDERR_FILENO) },
      isInteractive: isatty(STDERR_FILENO) == 1, hasColour: isatty(STDOUT_FILENO) == 1,
      width: terminalWidth())
  }

  private static func terminalWidth() -> Int? {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// Writes data.
  func write(_ text: String) {
    clearBar()
    output(text)
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

  private func clearBar() {
    let wasShown = hasBar.withLock { shown in
      defer { shown = false }
      return shown
    }
    if wasShown { errors("\r\u{1B}[K") }
  }

  /// Writes everything; a reader that has gone away (`| head`) ends the writing, not the program.
  private static func write(_ text: String, to descriptor: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}
