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
    /// The program contains a sanitizer that does not bear the agent.
    case sanitized(String)
    /// The program uses another C library than the agent.
    case otherLibrary(String)
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

  /// Returns whether a program marks phases or signposts, which only the agent sees: it names the agent's
  /// function (perf_agent.h).
  public static func usesMarks(_ path: String) -> Bool {
    (try? ImageMemory(path: path)).map { has("perf_agent_phase_enter", $0, path) } ?? false
  }

  /// Returns whether a text is among the names of a program's libraries and dynamic symbols.
  private static func has(_ text: String, _ memory: ImageMemory, _ path: String) -> Bool {
    guard let image = try? ElfImage(path: path, memory: memory) else { return false }
    return image.sections().contains {
      $0.name == ".dynstr" && memory.bytes(of: $0.section).contains(text.utf8)
    }
  }

  /// The sanitizers that do not bear the agent, by a name that their programs contain: that of clang's
  /// thread sanitizer, which is linked statically, and those of gcc's libraries, which must be loaded
  /// first.
  private static let sanitizers = [
    ("__tsan_init", "ThreadSanitizer"), ("libtsan.so", "ThreadSanitizer"),
    ("libasan.so", "gcc's AddressSanitizer"),
  ]

  /// The kernel follows at most four scripts (fs/binfmt_script.c, BINPRM_BUF and the loop in exec).
  private static let deepestScript = 4

  private static func obstacle(of path: String, depth: Int) -> Obstacle? {
    guard let memory = try? ImageMemory(path: path) else {
      if depth > 0, access(path, X_OK) != 0 { return .missing }
      return isPrivileged(path) ? .privileged : access(path, R_OK) == 0 ? .unknownFormat : nil
    }
    if memory.bytes.starts(with: "#!".utf8) {
      let line = memory.bytes.prefix(4096).dropFirst(2).prefix { $0 != 10 }
      let word = line.split { $0 == 32 || $0 == 9 }.first
      guard depth < deepestScript, let word else { return .unknownFormat }
      let interpreter = String(decoding: word, as: UTF8.self)
      return obstacle(of: interpreter, depth: depth + 1).map {
        .interpreter(path: interpreter, $0)
      }
    }
    // The kernel ignores setuid and setgid of scripts.
    if isPrivileged(path) { return .privileged }
    // The loader's own file names no loader, but the loader does preload libraries.
    if path.split(separator: "/").last?.hasPrefix("ld-linux") == true { return nil }
    return elfObstacle(memory, path)
  }

  private static func elfObstacle(_ memory: ImageMemory, _ path: String) -> Obstacle? {
    let reader = ByteReader(bytes: memory.bytes)
    guard reader.load(0, as: UInt32.self) == ElfHeader.magic else { return .unknownFormat }
    guard reader.load(4, as: UInt8.self) == 2, reader.load(18, as: UInt16.self) == ownMachine
    else { return .foreignArchitecture }
    guard let headers = try? ElfHeader.table(of: reader, path: path) else { return .unknownFormat }
    let named = headers.lazy.compactMap(\.self).first { $0.type == ElfHeader.interpreter }
    guard let named, let text = reader.slice(named.offset, named.fileBytes) else {
      return .staticallyLinked
    }
    let loader = String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
    if access(loader, X_OK) != 0 { return .interpreter(path: loader, .missing) }
    if loader.contains("/ld-musl-") { return .otherLibrary("musl") }
    return sanitizers.first { has($0.0, memory, path) }.map { .sanitized($0.1) }
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

extension PreloadCheck.Obstacle {
  /// Whether the obstacle stops only the agent: the kernel can still sample the program.
  public var isOfAgent: Bool {
    switch self {
    case .staticallyLinked, .sanitized, .otherLibrary: true
    // The kernel stops sampling for a user who could not trace the program.
    case .privileged: geteuid() == 0
    case .foreignArchitecture, .unknownFormat, .missing: false
    case .interpreter(_, let obstacle): obstacle.isOfAgent
    }
  }
}

extension PreloadCheck.Obstacle: CustomStringConvertible {
  /// The obstacle as a clause with the subject "it".
  public var description: String {
    switch self {
    case .staticallyLinked: "it is statically linked, so the agent cannot be preloaded"
    case .privileged:
      "it gains rights (setuid, setgid, capabilities), so the loader ignores the agent"
    case .sanitized(let name): "it is built with \(name), which does not bear the agent"
    case .otherLibrary(let name): "it uses the C library \(name), and the agent uses glibc"
    case .foreignArchitecture: "it is built for another architecture than the agent"
    case .unknownFormat: "it is neither a program nor a script with an interpreter"
    case .missing: "it does not exist or may not be executed"
    case .interpreter(let path, let obstacle):
      "its interpreter '\(path)' is unusable: \(obstacle)"
    }
  }

  /// The remedy that lets the agent be preloaded, as a sentence.
  public var remedy: String {
    switch self {
    case .staticallyLinked: "Link it dynamically, without -static or -static-pie."
    case .privileged:
      "Run it as the user whose rights it gains, or profile a copy without these rights."
    case .sanitized: "Build it without the sanitizer."
    case .otherLibrary: "Build it with glibc."
    case .foreignArchitecture: "Build it for this machine."
    case .unknownFormat:
      "Name the interpreter in the first line (#!) or in the command, e.g. "
        + "`perfkit record -- sh FILE`."
    case .missing: "Install it or use another one."
    case .interpreter(_, let obstacle): obstacle.remedy
    }
  }

  /// Returns the remedy as a sentence, after a way to do without the agent if there is one.
  ///
  /// - Parameter way: The way as the beginning of a sentence.
  /// - Returns: One sentence.
  public func remedy(or way: String) -> String {
    isOfAgent ? "\(way), or \(remedy.prefix(1).lowercased())\(remedy.dropFirst())" : remedy
  }
}
