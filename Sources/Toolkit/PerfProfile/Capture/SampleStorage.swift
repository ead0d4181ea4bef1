internal import Glibc
internal import Synchronization

/// Memory and an overflow file for samples until they are unwound.
///
/// The processes of one launch share a storage: a build has thousands of processes, whose samples are
/// kept until it ends, and together they may use the memory of one process and one file. Any thread.
public final class SampleStorage: Sendable {
  private struct State {
    /// Bytes of memory that are left.
    var memory: Int
    /// The descriptor; negative before the file is created.
    var file: Int32 = -1
    /// Used bytes of the file.
    var end = 0
  }

  private let folder: String
  private let state: Mutex<State>

  /// Creates an empty storage.
  ///
  /// - Parameters:
  ///   - folder: The folder of the file, which is created without a name; nil for TMPDIR or /var/tmp.
  ///   - memory: Bytes of memory to use before the file.
  public init(folder: String? = nil, memory: Int = 64 << 20) {
    self.folder = folder ?? getenv("TMPDIR").map { String(cString: $0) } ?? "/var/tmp"
    state = Mutex(State(memory: memory))
  }

  deinit {
    let file = state.withLock { $0.file }
    if file >= 0 { close(file) }
  }

  /// Reserves memory, and returns whether enough was left.
  func takeMemory(_ bytes: Int) -> Bool {
    state.withLock { state in
      guard state.memory >= bytes else { return false }
      state.memory -= bytes
      return true
    }
  }

  /// Returns reserved memory.
  func giveBack(_ bytes: Int) {
    state.withLock { $0.memory += bytes }
  }

  // MARK: - The file

  /// Appends bytes to the file and returns their offset.
  ///
  /// - Throws: `spool` if the file cannot be created or extended.
  func write(_ memory: UnsafeRawPointer, bytes: Int) throws(PerfProfileError) -> Int {
    let (file, offset) = state.withLock { state in
      if state.file < 0 { state.file = Self.makeFile(in: folder) }
      if state.file >= 0 { state.end += bytes }
      return (state.file, state.end - bytes)
    }
    guard file >= 0 else { throw .spool(folder: folder, step: "creating a file", errno: -file) }
    try transfer(bytes, "writing") { pwrite(file, memory + $0, bytes - $0, off_t(offset + $0)) }
    return offset
  }

  /// Reads bytes of the file.
  ///
  /// - Throws: `spool` if they cannot be read.
  func read(
    into memory: UnsafeMutableRawPointer, bytes: Int, at offset: Int
  ) throws(PerfProfileError) {
    let file = state.withLock { $0.file }
    try transfer(bytes, "reading") { pread(file, memory + $0, bytes - $0, off_t(offset + $0)) }
  }

  /// Repeats `call`, which gets the number of bytes that are done and returns how many more it transferred.
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

  /// Returns the descriptor of a new file without a name, or a negative error number.
  private static func makeFile(in folder: String) -> Int32 {
    var template = Array("\(folder)/perfkit-samples-XXXXXX".utf8CString)
    let file = mkstemp(&template)
    guard file >= 0 else { return -errno }
    _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    unlink(&template)
    return file
  }
}
