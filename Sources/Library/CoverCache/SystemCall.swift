internal import Glibc

/// Returns the C library's text for an errno value, such as `No such file or directory`.
func systemMessage(_ code: Int32) -> String { String(cString: strerror(code)) }

/// Repeats a call until no signal interrupts it.
///
/// A sampled process gets thousands of signals per second, so EINTR is common.
func retryingInterrupts(_ call: () -> Int) -> Int {
  while true {
    let result = call()
    guard result < 0, errno == EINTR else { return result }
  }
}

/// Reads a whole regular file into memory of exactly its size.
///
/// A file of more than `limit` bytes throws EFBIG.
func readFile(_ path: String, limit: Int = .max) throws(Errno) -> [UInt8] {
  // O_NONBLOCK, because the open of a named pipe waits for a writer.
  let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
  let descriptor = Int32(retryingInterrupts { Int(open(path, flags)) })
  guard descriptor >= 0 else { throw Errno(code: errno) }
  defer { close(descriptor) }
  var status = stat()
  guard fstat(descriptor, &status) == 0 else { throw Errno(code: errno) }
  guard status.st_mode & S_IFMT == S_IFREG else {
    throw Errno(code: status.st_mode & S_IFMT == S_IFDIR ? EISDIR : ENOTSUP)
  }
  let size = Int(status.st_size)
  guard size <= limit else { throw Errno(code: EFBIG) }
  var failure: Int32 = 0
  let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
    while count < size {
      let got = retryingInterrupts {
        read(descriptor, buffer.baseAddress.map { $0 + count }, size - count)
      }
      guard got > 0 else {
        failure = got < 0 ? errno : 0
        return
      }
      count += got
    }
  }
  guard failure == 0 else { throw Errno(code: failure) }
  return bytes
}

/// An errno value that the caller turns into an error with the path.
package struct Errno: Error {
  /// The number of the error.
  package let code: Int32
}

/// Writes a file and replaces an existing one's content.
func writeFile(_ bytes: [UInt8], to path: String) throws(Errno) {
  let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC
  let descriptor = Int32(retryingInterrupts { Int(open(path, flags, 0o644)) })
  guard descriptor >= 0 else { throw Errno(code: errno) }
  var written = 0
  while written < bytes.count {
    let count = bytes.withUnsafeBytes { buffer in
      retryingInterrupts {
        write(descriptor, buffer.baseAddress.map { $0 + written }, buffer.count - written)
      }
    }
    guard count >= 0 else {
      let failure = Errno(code: errno)
      close(descriptor)
      throw failure
    }
    written += count
  }
  guard close(descriptor) == 0 else { throw Errno(code: errno) }
}

/// Writes a file by a closure under a temporary name and renames it, so that the
/// path holds the old file or the whole new one.
func replaceFile(
  _ path: String, by temporary: String, _ write: (_ path: String) throws(Errno) -> Void
) throws(Errno) {
  do throws(Errno) {
    try write(temporary)
    guard rename(temporary, path) == 0 else { throw Errno(code: errno) }
  } catch {
    unlink(temporary)
    throw error
  }
}

/// Writes a file atomically: if the process stops, the path holds the old file or the whole new one.
package func replaceFile(_ path: String, by temporary: String, with bytes: [UInt8]) throws(Errno) {
  try replaceFile(path, by: temporary) { path throws(Errno) in try writeFile(bytes, to: path) }
}

/// Returns the names in a folder without `.` and `..`, in no order; nil with errno set on failure.
func listDirectory(_ path: String) -> [String]? {
  guard let stream = opendir(path) else { return nil }
  defer { closedir(stream) }
  var names: [String] = []
  while let entry = readdir(stream) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
      String(cString: UnsafeRawPointer(field).assumingMemoryBound(to: CChar.self))
    }
    if name != ".", name != ".." { names.append(name) }
  }
  return names
}
