internal import Foundation
internal import PerfGate
internal import PerfModel

extension Context {
  /// Reads a file that the user named, or standard input for `-`.
  ///
  /// - Parameters:
  ///   - file: The path; a relative one starts at the working directory.
  ///   - limit: The most bytes that are read, so that an endless file is refused; nil for all.
  /// - Returns: The bytes.
  /// - Throws: `Failure` with the path, the reason and the remedy.
  func read(_ file: String, upTo limit: Int? = nil) throws(Failure) -> Data {
    do {
      let handle =
        file == "-"
        ? FileHandle.standardInput
        : try FileHandle(forReadingFrom: URL(fileURLWithPath: workspace.absolute(file)))
      return try (limit.map(handle.read(upToCount:)) ?? handle.readToEnd()) ?? Data()
    } catch {
      let (path, files) = (workspace.absolute(file), FileManager.default)
      var isFolder: ObjCBool = false
      let reason =
        if file == "-" {
          "standard input is no file, pipe or terminal. Name a file."
        } else if !files.fileExists(atPath: path, isDirectory: &isFolder) {
          "there is no such file. Check the path."
        } else if isFolder.boolValue {
          "it is a folder. Name a file."
        } else if !files.isReadableFile(atPath: path) {
          "permission denied. Make it readable."
        } else {
          ErrorReason.clause(error.localizedDescription) + "."
        }
      throw Failure("cannot read '\(file)': \(reason)")
    }
  }
}
