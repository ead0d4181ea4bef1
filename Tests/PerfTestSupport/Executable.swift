internal import Foundation

/// Programs that tests write and start.
public enum Executable {
  /// Writes an executable program.
  ///
  /// A child process writes the file. If this process had the file open for writing, a child
  /// started by another test at the same time would inherit the descriptor, and Linux does not
  /// execute a file that is open for writing (ETXTBSY).
  ///
  /// - Parameters:
  ///   - bytes: The program, usually a script.
  ///   - path: The path; its folder is created, and an existing file is replaced.
  /// - Throws: A file error if the program cannot be written.
  public static func write(_ bytes: some Sequence<UInt8>, to path: String) throws {
    let folder = try TemporaryFolder()
    let draft = folder("draft")
    try Data(bytes).write(to: URL(fileURLWithPath: draft))
    let install = Process()
    install.executableURL = URL(fileURLWithPath: "/usr/bin/install")
    install.arguments = ["-D", "-m", "755", draft, path]
    try install.run()
    install.waitUntilExit()
    guard install.terminationStatus == 0 else { throw CocoaError(.fileWriteUnknown) }
  }

  /// Writes an executable script.
  public static func write(_ script: String, to path: String) throws {
    try write(script.utf8, to: path)
  }
}
