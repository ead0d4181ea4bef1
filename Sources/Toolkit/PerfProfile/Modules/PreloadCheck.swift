internal import CLinux
internal import Glibc

/// Checks whether the loader will preload the agent into a program.
public enum PreloadCheck {
  /// The reason why LD_PRELOAD has no effect on a program.
  public enum Obstacle: Error, Hashable, Sendable {
    /// The program has no dynamic loader.
    case staticallyLinked
    /// The program gains rights of another user or group, or capabilities, so the loader ignores
    /// LD_PRELOAD.
    case privileged
    /// The program is built for another processor or for 32 bits.
    case foreignArchitecture
    /// The file is neither an ELF file nor a script.
    case unknownFormat
    /// The file does not exist or may not be executed.
    case missing
    /// The file is a script, and its interpreter has the obstacle.
    indirect case interpreter(path: String, Obstacle)
  }

  /// Finds the obstacle that keeps the agent out of a program.
  ///
  /// For a script it checks the interpreter. An unreadable file counts as no obstacle: its start
  /// will show the problem.
  ///
  /// - Parameter path: An executable file.
  /// - Returns: The obstacle; nil if there is none.
  public static func obstacle(of path: String) -> Obstacle? {
    obstacle(of: path, depth: 0)
  }

  /// The kernel follows at most four scripts (fs/binfmt_script.c, BINPRM_BUF and the loop in exec).
  private static let deepestScript = 4

  private static func obstacle(of path: String, depth: Int) -> Obstacle? {
    // O_NONBLOCK, because a script may name a pipe that no process writes.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else {
      if depth > 0, access(path, X_OK) != 0 { return .missing }
      return isPrivileged(path) ? .privileged : nil
    }
    defer { close(descriptor) }
    let bytes = self.bytes(of: descriptor, at: 0, count: 4096)
    if bytes.starts(with: "#!".utf8) {
      guard depth < deepestScript, let interpreter = interpreter(bytes) else {
        return .unknownFormat
      }
      return obstacle(of: interpreter, depth: depth + 1).map {
        .interpreter(path: interpreter, $0)
      }
    }
    // The kernel ignores setuid and setgid of scripts.
    if isPrivileged(path) { return .privileged }
    // The loader itself names no loader and preloads nevertheless.
    if path.split(separator: "/").last?.hasPrefix("ld-linux") == true { return nil }
    return elfObstacle(bytes, descriptor)
  }

  private static func bytes(of descriptor: Int32, at offset: Int, count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = max(0, pread(descriptor, buffer.baseAddress, count, offset))
    }
  }

  private static func interpreter(_ bytes: [UInt8]) -> String? {
    let line = bytes.dropFirst(2).prefix { $0 != 10 }
    let words = line.split { $0 == 32 || $0 == 9 }
    return words.first.map { String(decoding: $0, as: UTF8.self) }
  }

  private static func elfObstacle(_ header: [UInt8], _ descriptor: Int32) -> Obstacle? {
    let place = header.withUnsafeBytes { programHeaders(ByteReader(bytes: $0)) }
    let (table, count): (Int, Int)
    switch place {
    case .success(let found): (table, count) = found
    case .failure(let obstacle): return obstacle
    }
    // Program editors such as patchelf move the program headers to the end of the file.
    let headers = bytes(of: descriptor, at: table, count: count * 56)
    guard headers.count == count * 56 else { return .unknownFormat }
    let named = headers.withUnsafeBytes { loaderPlace(ByteReader(bytes: $0), count: count) }
    guard let (offset, size) = named else { return .staticallyLinked }
    let loader = String(
      decoding: bytes(of: descriptor, at: offset, count: min(size, 4096)).prefix { $0 != 0 },
      as: UTF8.self)
    return access(loader, X_OK) == 0 ? nil : .interpreter(path: loader, .missing)
  }

  /// Returns the location of the loader's path in the file; nil if it names no loader.
  private static func loaderPlace(
    _ headers: ByteReader, count: Int
  ) -> (offset: Int, size: Int)? {
    let interpreterType: UInt32 = 3
    for header in (0..<count).map({ $0 * 56 }) where headers.load(header) == interpreterType {
      guard let offset = headers.load(header + 8, as: UInt64.self).flatMap(Int.init(exactly:)),
        let size = headers.load(header + 32, as: UInt64.self).flatMap(Int.init(exactly:))
      else { return nil }
      return (offset, size)
    }
    return nil
  }

  /// Returns the offset and the number of the program headers (System V ABI, chapter 5).
  private static func programHeaders(
    _ reader: ByteReader
  ) -> Result<(table: Int, count: Int), Obstacle> {
    guard reader.load(0, as: UInt32.self) == 0x464c_457f else { return .failure(.unknownFormat) }
    guard reader.load(4, as: UInt8.self) == 2, reader.load(18, as: UInt16.self) == ownMachine
    else { return .failure(.foreignArchitecture) }
    guard let table = reader.load(32, as: UInt64.self).flatMap(Int.init(exactly:)),
      let count = reader.load(56, as: UInt16.self)
    else { return .failure(.unknownFormat) }
    return .success((table, Int(count)))
  }

  /// Returns whether the kernel runs the file with AT_SECURE (ld.so(8), "secure-execution mode").
  private static func isPrivileged(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else { return false }
    if status.st_mode & S_ISUID != 0, status.st_uid != getuid() { return true }
    if status.st_mode & S_ISGID != 0, status.st_gid != getgid() { return true }
    return getuid() != 0 && clinux_has_capabilities(path) == 1
  }

  /// The ELF machine number of this program.
  private static var ownMachine: UInt16 {
    #if arch(x86_64)
    62
    #elseif arch(arm64)
    183
    #endif
  }
}

extension PreloadCheck.Obstacle: CustomStringConvertible {
  /// The obstacle as a clause with the subject "it".
  public var description: String {
    switch self {
    case .staticallyLinked: "it is statically linked, so the agent cannot be preloaded"
    case .privileged:
      "it gains rights (setuid, setgid, capabilities), so the loader ignores the agent"
    case .foreignArchitecture: "it is built for another architecture than the agent"
    case .unknownFormat: "it is neither a program nor a script with an interpreter"
    case .missing: "it does not exist or may not be executed"
    case .interpreter(let path, let obstacle):
      "its interpreter '\(path)' is unusable: \(obstacle)"
    }
  }

  /// The remedy as a sentence.
  public var remedy: String {
    switch self {
    case .staticallyLinked: "Link it dynamically, without -static or -static-pie."
    case .privileged:
      "Run it as the user whose rights it gains, or profile a copy without these rights."
    case .foreignArchitecture: "Build it for this machine."
    case .unknownFormat:
      "Name the interpreter in the first line (#!) or in the command, e.g. "
        + "`perfkit record -- sh FILE`."
    case .missing: "Install it or use another one."
    case .interpreter(_, let obstacle): obstacle.remedy
    }
  }
}
