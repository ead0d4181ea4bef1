internal import Glibc

/// A running process as `/proc` describes it.
struct RunningProcess {
  private let folder: String

  init(_ process: Int32) { folder = "/proc/\(process)" }

  /// The folder that the process sees as its root.
  var root: String { "\(folder)/root" }

  /// The user who owns the process; nil if it has ended.
  var owner: UInt32? {
    var status = stat()
    return stat(folder, &status) == 0 ? status.st_uid : nil
  }

  /// The process's own id, which differs in a container; nil if it has ended.
  var innermostID: Int32? {
    textLines(of: "\(folder)/status").first { $0.hasPrefix("NSpid:") }
      .flatMap { $0.split { $0 == "\t" || $0 == " " }.last.flatMap { Int32($0) } }
  }

  /// The time at which the process began, in seconds since 1970; nil if it has ended.
  ///
  /// The kernel rounds it down to 10 ms.
  var started: Double? {
    // The name before the fields may contain parentheses and line breaks (proc_pid_stat(5)).
    let text = textLines(of: "\(folder)/stat").joined(separator: " ")
    guard let end = text.lastIndex(of: ")") else { return nil }
    let fields = text[text.index(after: end)...].split(separator: " ")
    // The state is field 3 and the start is field 22, in ticks since the start of the system.
    guard fields.count > 19, let ticks = Double(fields[19]) else { return nil }
    return realSeconds(atBootTime: ticks / Double(max(1, sysconf(Int32(_SC_CLK_TCK)))))
  }

  /// Returns the facts that are needed after its end; `root` is the path of the folder that it sees as its
  /// root, empty for that of this process.
  func facts(root: String) -> ProcessFacts {
    ProcessFacts(root: root, owner: owner, innermostID: innermostID, started: started)
  }

  /// Returns the ids of its threads; empty if it has ended.
  func threads() -> [Int32] {
    guard let directory = opendir("\(folder)/task") else { return [] }
    defer { closedir(directory) }
    var threads: [Int32] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if let thread = Int32(name) { threads.append(thread) }
    }
    return threads.sorted()
  }

  /// Returns the name of a thread; empty if it has ended.
  func name(of thread: Int32) -> String {
    textLines(of: "\(folder)/task/\(thread)/comm").first ?? ""
  }

  /// Returns its mappings that may be executed.
  func mappings() -> [EventRecord.Mapping] {
    textLines(of: "\(folder)/maps").compactMap(Self.mapping)
  }

  /// Reads a line such as `7f00-7f80 r-xp 00001000 08:01 42   /usr/lib/libz.so`.
  private static func mapping(_ line: String) -> EventRecord.Mapping? {
    let words = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
    guard words.count == 6, words[1].dropFirst(2).first == "x",
      let offset = UInt64(words[2], radix: 16)
    else { return nil }
    let ends = words[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
    guard ends.count == 2, ends[0] < ends[1] else { return nil }
    let path = words[5].drop { $0 == " " }
    return EventRecord.Mapping(
      address: ends[0], bytes: ends[1] - ends[0], offset: offset, path: String(path), buildID: [])
  }
}

/// The facts about a process that find its files after its end.
struct ProcessFacts: Sendable {
  /// The path of the folder that it saw as its root; empty for that of this process.
  let root: String
  /// The user who owned it.
  let owner: UInt32?
  /// Its own id, which differs in a container.
  let innermostID: Int32?
  /// The time at which it began, in seconds since 1970; nil if it is unknown.
  var started: Double?
}
