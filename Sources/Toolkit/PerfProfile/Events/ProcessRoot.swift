internal import Glibc

/// The root folder of a process in another mount namespace, such as a container.
///
/// It stays open, so that the process's files can be read after its end.
final class ProcessRoot: Sendable {
  private let descriptor: Int32
  /// The path of the folder for this process and its children.
  let path: String

  /// Opens the root of a process; nil if the process has this process's mount namespace, or has ended.
  init?(of process: Int32) {
    guard let own = Self.namespace(of: "self"), let other = Self.namespace(of: "\(process)"),
      own != other
    else { return nil }
    descriptor = open("/proc/\(process)/root", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    path = "/proc/\(getpid())/fd/\(descriptor)"
  }

  deinit { close(descriptor) }

  /// Returns the path that the process sees; other paths are unchanged.
  func inside(_ path: String) -> String {
    path.hasPrefix(self.path + "/") ? String(path.dropFirst(self.path.count)) : path
  }

  /// Returns the number of a process's mount namespace; nil if the process has ended.
  private static func namespace(of process: String) -> UInt64? {
    var status = stat()
    return stat("/proc/\(process)/ns/mnt", &status) == 0 ? UInt64(status.st_ino) : nil
  }
}
