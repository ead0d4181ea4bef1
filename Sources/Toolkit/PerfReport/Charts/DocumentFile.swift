internal import Foundation
internal import PerfModel

/// Files of reports.
public enum DocumentFile {
  /// Writes a text as a file of UTF-8, whole or not at all; missing folders are made.
  ///
  /// A link stays and leads to the new file; a device, a pipe or a descriptor (`/dev/stdout`) is written into.
  ///
  /// - Throws: `ReportError.cannotWrite`.
  public static func write(_ text: String, to path: String) throws(ReportError) {
    try write(Data(text.utf8), to: path)
  }

  /// Writes bytes as a file, whole or not at all, as a text is; missing folders are made.
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
    case .fileWriteInvalidFileName: return "it is a folder"
    default: return ErrorReason.clause(error.localizedDescription)
    }
  }

  /// Writes data to what a path leads to: a file is replaced, a device or a pipe is written into.
  static func write(_ data: Data, to path: String) throws(ReportError) {
    do {
      if let descriptor = descriptor(of: path) {
        try FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).write(contentsOf: data)
        return
      }
      // A link stays; the file that it leads to is replaced.
      let file = URL(filePath: path).resolvingSymlinksInPath()
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      switch try? FileManager.default.attributesOfItem(atPath: file.path)[.type]
        as? FileAttributeType
      {
      case nil, .typeRegular: try data.write(to: file, options: .atomic)
      // What it leads to is not there yet.
      case .typeSymbolicLink: try data.write(to: file)
      case .typeDirectory: throw CocoaError(.fileWriteInvalidFileName)
      default:
        let handle = try FileHandle(forWritingTo: file)
        defer { try? handle.close() }
        try handle.write(contentsOf: data)
      }
    } catch {
      throw .cannotWrite(path: path, reason: Self.reason(error))
    }
  }

  /// The descriptor of this process that a path stands for, as `/dev/stdout` and `/dev/fd/63` do.
  ///
  /// Opened anew, a file would be written from its beginning, over what others have appended.
  private static func descriptor(of path: String) -> Int32? {
    switch path {
    case "/dev/stdout": return 1
    case "/dev/stderr": return 2
    default: break
    }
    for folder in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(folder) {
      return Int32(path.dropFirst(folder.count))
    }
    return nil
  }
}
