internal import Foundation
internal import PerfModel

/// Files of reports.
public enum DocumentFile {
  /// Writes a text as a file of UTF-8, whole or not at all; missing folders are made.
  ///
  /// - Throws: `ReportError.cannotWrite`.
  public static func write(_ text: String, to path: String) throws(ReportError) {
    try write(Data(text.utf8), to: path)
  }

  /// Writes bytes as a file, whole or not at all; missing folders are made.
  ///
  /// - Throws: `ReportError.cannotWrite`.
  public static func write(_ bytes: [UInt8], to path: String) throws(ReportError) {
    try write(Data(bytes), to: path)
  }

  /// The kernel's words for an error of Foundation, where there are such.
  private static func reason(_ error: any Error) -> String {
    let error = error as NSError
    let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError
    if let underlying, underlying.domain == NSPOSIXErrorDomain,
      let code = POSIXErrorCode(rawValue: Int32(underlying.code))
    {
      return ErrorReason.clause(POSIXError(code).localizedDescription)
    }
    switch CocoaError.Code(rawValue: error.code) {
    case .fileWriteNoPermission: return "Permission denied"
    case .fileWriteOutOfSpace: return "No space left on device"
    case .fileWriteVolumeReadOnly: return "Read-only file system"
    default: return ErrorReason.clause(error.localizedDescription)
    }
  }

  static func write(_ data: Data, to path: String) throws(ReportError) {
    let file = URL(filePath: path)
    do {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try data.write(to: file, options: .atomic)
    } catch {
      throw .cannotWrite(path: path, reason: Self.reason(error))
    }
  }
}
