internal import Glibc
internal import Synchronization

/// Where samples wait for the unwinder: so many bytes of them in memory, and what is more in a file.
///
/// The processes of one launch may share a room. A build has thousands of them, whose samples are all
/// kept until it ends: together they take the memory of one then, and one file. Any thread.
public final class SampleRoom: Sendable {
  private struct State {
    /// Bytes that may still be kept in memory.
    var memory: Int
    /// Negative as long as there is none.
    var file: Int32 = -1
    /// Bytes of the file that are in use.
    var end = 0
  }

  private let folder: String
  private let state: Mutex<State>

  /// Creates a room in which nothing is.
  ///
  /// - Parameters:
  ///   - folder: Where the file is made; it has no name there once it exists. Nil takes TMPDIR or
  ///     /var/tmp.
  ///   - memory: Bytes to keep in memory before the file is used.
  public init(folder: String? = nil, memory: Int = 64 << 20) {
    self.folder = folder ?? getenv("TMPDIR").map { String(cString: $0) } ?? "/var/tmp"
    state = Mutex(State(memory: memory))
  }

  deinit {
    let file = state.withLock { $0.file }
    if file >= 0 { close(file) }
  }

  /// Takes memory for good; false when there is not so much left.
  func takeMemory(_ bytes: Int) -> Bool {
    state.withLock { state in
      guard state.memory >= bytes else { return false }
      state.memory -= bytes
      return true
    }
  }

  /// Gives memory back that was taken.
  func giveBack(_ bytes: Int) {
    state.withLock { $0.memory += bytes }
  }

  // MARK: - The file

  /// Writes bytes to the file and returns where they are in it.
  ///
  /// - Throws: `spool` when there can be no file, or no more in it.
  func write(_ memory: UnsafeRawPointer, bytes: Int) throws(PerfProfileError) -> Int {
    let (file, offset) = state.withLock { state in
      if state.file < 0 { state.file = Self.makeFile(in: folder) }
      if state.file >= 0 { state.end += bytes }
      return (state.file, state.end - bytes)
    }
    guard file >= 0 else { throw .spool(folder: folder, step: "making a file", errno: -file) }
    try transfer(bytes, "writing") { pwrite(file, memory + $0, bytes - $0, off_t(offset + $0)) }
    return offset
  }

  /// Reads what was written.
  ///
  /// - Throws: `spool` when that cannot be.
  func read(
    into memory: UnsafeMutableRawPointer, bytes: Int, at offset: Int
  ) throws(PerfProfileError) {
    let file = state.withLock { $0.file }
    try transfer(bytes, "reading") { pread(file, memory + $0, bytes - $0, off_t(offset + $0)) }
  }

  /// Calls until all bytes are done; the call is told how many are, and returns how many more it did.
  private func transfer(
    _ bytes: Int, _ step: String, _ call: (_ done: Int) -> Int
  ) throws(PerfProfileError) {
    var done = 0
    while done < bytes {
      let count = call(done)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw .spool(folder: folder, step: step, errno: errno) }
      done += count
    }
  }

  /// Returns a new file without a name, or an error's number below 0.
  private static func makeFile(in folder: String) -> Int32 {
    var template = Array("\(folder)/perfkit-samples-XXXXXX".utf8CString)
    let file = mkstemp(&template)
    guard file >= 0 else { return -errno }
    _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    unlink(&template)
    return file
  }
}
