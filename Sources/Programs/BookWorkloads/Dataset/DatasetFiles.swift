internal import CoverCache
internal import Foundation
internal import Glibc
internal import LibraryStore

/// Returns the bytes that are free for the user on the disk of a path; nil if they are unknown.
func freeBytes(at path: String) -> Int? {
  var status = statvfs()
  guard statvfs(path, &status) == 0 else { return nil }
  return Int(status.f_bavail) * Int(status.f_frsize)
}

/// Creates a folder and its parent folders.
func makeFolder(_ path: String) throws(DatasetError) {
  do {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  } catch {
    throw .cache(path: path, reason: LibraryError.reason(of: error))
  }
}

/// Writes a file atomically: if the process stops, the file is either complete or missing.
///
/// After a power cut the file can contain zeros. The checksums detect that; waiting for the disk
/// after each cover would take a hundred times as long.
func writeWhole(_ bytes: [UInt8], to path: String) throws(DatasetError) {
  do throws(Errno) {
    try replaceFile(path, by: "\(path).\(getpid()).tmp", with: bytes)
  } catch {
    throw .system(error.code, path: path, neededBytes: bytes.count)
  }
}

/// Removes the temporary files of processes that stopped in `writeWhole`; no process may be
/// writing.
func removeTemporaryFiles(in folder: String) {
  let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  for name in names where name.hasSuffix(".tmp") { unlink("\(folder)/\(name)") }
}

/// Runs a closure while no other process runs one for the same folder; waits if necessary.
func withLock<Result>(
  on folder: String, _ body: () throws(DatasetError) -> Result
) throws(DatasetError) -> Result {
  let path = "\(folder)/.lock"
  let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
  guard file >= 0 else { throw .system(errno, path: path) }
  // Closing the file releases the lock, as does the end of the process.
  defer { close(file) }
  while flock(file, LOCK_EX) != 0 {
    guard errno == EINTR else { throw .system(errno, path: path) }
  }
  return try body()
}

/// Returns the 64-bit FNV-1a checksum as 16 hexadecimal digits.
///
/// It detects damage, not manipulation. Source: Fowler, Noll, Vo, draft-eastlake-fnv.
func checksum(of bytes: some Sequence<UInt8>) -> String {
  var hash: UInt64 = 0xCBF2_9CE4_8422_2325
  for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
  let digits = String(hash, radix: 16)
  return String(repeating: "0", count: 16 - digits.count) + digits
}

/// Returns whether a file name ends in .jpg or .jpeg, in capital or small letters.
func isJPEGName(_ name: String) -> Bool {
  let lowered = name.lowercased()
  return lowered.hasSuffix(".jpg") || lowered.hasSuffix(".jpeg")
}

/// The properties of a file that change when its contents change.
struct FileState: Codable, Hashable {
  let bytes: Int
  /// The modification time in nanoseconds since 1970.
  let modified: Int
}

/// Returns the state of a regular file; nil if it does not exist.
func fileState(at path: String) -> FileState? {
  var status = stat()
  guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
  return FileState(
    bytes: Int(status.st_size),
    modified: status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec)
}
