internal import Foundation
internal import PerfModel

/// The writer of report files.
public enum DocumentFile {
  /// Writes a text as a UTF-8 file, like bytes.
  ///
  /// - Throws: `ReportError.cannotWrite`.
  public static func write(_ text: String, to path: String) throws(ReportError) {
    try write(text.utf8, to: path)
  }

  /// Returns the system's message for a Foundation error if it has one.
  static func reason(_ error: any Error) -> String {
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
    case .fileWriteInvalidFileName: return "Is a directory"
    default: return ErrorReason.clause(error.localizedDescription)
    }
  }

  /// Writes bytes as a file, atomically; missing folders are created.
  ///
  /// A symbolic link is kept and its target replaced. Devices, pipes and descriptors (e.g.
  /// `/dev/stdout`) are written to.
  ///
  /// - Throws: `ReportError.cannotWrite`.
  public static func write(_ bytes: some Sequence<UInt8>, to path: String) throws(ReportError) {
    let data = Data(bytes)
    do {
      if let descriptor = descriptor(of: path) {
        try FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).write(contentsOf: data)
        return
      }
      // A link is kept, and its target is replaced.
      let file = URL(filePath: path).resolvingSymlinksInPath()
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      switch try? FileManager.default.attributesOfItem(atPath: file.path)[.type]
        as? FileAttributeType
      {
      case nil, .typeRegular:
        do {
          try UnnamedFile.write(data, as: file.path)
        } catch {
          // Foundation's temporary file has a name, which a killed process leaves behind.
          try data.write(to: file, options: .atomic)
        }
      // The target of the link does not exist yet.
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

  /// Returns the descriptor that a path such as `/dev/stdout` or `/dev/fd/63` represents.
  ///
  /// Reopening such a file would overwrite it from the beginning.
  private static func descriptor(of path: String) -> Int32? {
    if let known = ["/dev/stdout": 1, "/dev/stderr": 2][path] { return Int32(known) }
    let folder = ["/dev/fd/", "/proc/self/fd/"].first(where: path.hasPrefix)
    return folder.flatMap { Int32(path.dropFirst($0.count)) }
  }
}
