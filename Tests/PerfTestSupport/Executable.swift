internal import Foundation

/// Programs that tests write and start.
public enum Executable {
  /// Writes a program that anybody may start.
  ///
  /// Another process writes the file that is started. What this one has open for writing, a child that
  /// another test starts just then has open as well until its own program begins, and Linux does not
  /// start a file that anybody may write to (ETXTBSY).
  ///
  /// - Parameters:
  ///   - bytes: The program: most often a script.
  ///   - path: Where it is to be, in a folder that is made if need be; what was there goes away.
  /// - Throws: A file error when it cannot be written.
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

  /// Writes a script that anybody may start, as above.
  public static func write(_ script: String, to path: String) throws {
    try write(script.utf8, to: path)
  }
}
