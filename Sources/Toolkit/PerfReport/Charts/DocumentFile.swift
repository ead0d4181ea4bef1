internal import Foundation

/// Files of reports.
public enum DocumentFile {
  /// Writes a text as a file of UTF-8, whole or not at all; missing folders are made.
  ///
  /// - Throws: `ReportError.cannotWrite`.
  public static func write(_ text: String, to path: String) throws(ReportError) {
    try write(Data(text.utf8), to: path)
  }

  static func write(_ data: Data, to path: String) throws(ReportError) {
    let file = URL(filePath: path)
    do {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try data.write(to: file, options: .atomic)
    } catch {
      throw .cannotWrite(path: path, reason: error.localizedDescription)
    }
  }
}
