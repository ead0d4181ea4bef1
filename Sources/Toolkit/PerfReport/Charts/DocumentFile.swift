internal import Foundation
internal import Glibc
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
    // Foundation's text calls it a file with the same name.
    case .fileWriteFileExists: return "a folder of its path is a file"
    // A folder that the system makes itself, such as /proc, contains no others.
    case .fileNoSuchFile: return "its folder cannot be made"
    default: return ErrorReason.clause(error.localizedDescription)
    }
  }

  /// Writes bytes as a file, atomically; missing folders are created.
  ///
  /// A symbolic link is kept and its target replaced. Devices, pipes and descriptors (e.g.
  /// `/dev/stdout`) are written to. A new file in a folder `.perfkit` is for its user alone, as the
  /// run store is.
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
      let folder = file.deletingLastPathComponent()
      let isPrivate = folder.lastPathComponent == ".perfkit"
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true,
        attributes: isPrivate ? [.posixPermissions: 0o700] : nil)
      let facts = try? FileManager.default.attributesOfItem(atPath: file.path)
      switch facts?[.type] as? FileAttributeType {
      case nil, .typeRegular:
        try replace(
          file, by: data, mode: (facts?[.posixPermissions] as? NSNumber)?.uint32Value,
          isPrivate: isPrivate)
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

  /// Writes the whole content before the file gets its name: a killed process leaves no part.
  ///
  /// - Parameters:
  ///   - file: The file, with an existing folder.
  ///   - data: The content.
  ///   - mode: The mode of the file that is replaced; nil if there is none.
  ///   - isPrivate: Whether a new file is for its user alone.
  /// - Throws: The error of the system or of Foundation.
  private static func replace(_ file: URL, by data: Data, mode: mode_t?, isPrivate: Bool) throws {
    let folder = file.deletingLastPathComponent().path
    // A link does not replace a file. A process that is killed between the link and its renaming leaves this link,
    // which the next writer of the file removes.
    let part = "\(folder)/.perfkit-\(StableHash.text(of: file.lastPathComponent)).part"
    for _ in 0..<4 {
      guard FileManager.default.fileExists(atPath: UnnamedFile.names),
        let unnamed = try? UnnamedFile(in: folder, mode: isPrivate ? 0o600 : 0o666)
      else { break }
      try unnamed.handle.write(contentsOf: data)
      if let mode { fchmod(unnamed.handle.fileDescriptor, mode) }
      if mode == nil, try isLinked(unnamed, as: file.path) { return }
      unsafe unlink(part)
      // Another writer of the file may take or remove the link. A file whose link was removed gets no other link.
      guard try isLinked(unnamed, as: part) else { continue }
      if unsafe rename(part, file.path) == 0 { return }
      guard errno == ENOENT else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }
    // A file system without unnamed files, a container without /proc, or many writers of the file.
    try data.write(to: file, options: .atomic)
    if isPrivate, mode == nil { unsafe chmod(file.path, 0o600) }
  }

  /// Links a file, and returns whether the name was free.
  private static func isLinked(_ file: UnnamedFile, as path: String) throws(POSIXError) -> Bool {
    do {
      try file.link(as: path)
      return true
    } catch {
      guard error.code == .EEXIST else { throw error }
      return false
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
