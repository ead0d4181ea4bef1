internal import Foundation
internal import PerfProfile

/// Attaching to busy processes again and again.
extension ProfilerBench {
  /// A busy process that checks its own results until a file exists.
  private struct AttachSubject {
    let name: String
    /// The sampled process.
    let words: [String]
    /// The process that loads the sampled one, checks its answers and ends it; nil if the sampled one checks
    /// itself.
    var load: [String]?
  }

  /// The times that the harness attaches to each process.
  private static let attachCount = 1000
  /// How long a process may take to end, in seconds.
  private static let attachPatience = 60.0
  /// The word that the checking process prints if all results were the same.
  private static let sameResults = "same"

  func attach(_ workshop: BenchWorkshop, _ table: FigureTable) throws {
    if let obstacle = EventSession.obstacle() {
      return table.add("attaching", measured: "refused: \(obstacle)")
    }
    let end = workshop.file("end")
    for (name, subject) in [
      ("python3", pythonSubject(workshop, end)), ("swiftc", try swiftSubject(workshop, end)),
      ("redis", try redisSubject(workshop, end)),
    ] {
      guard let subject else {
        table.add("attaching", measured: "\(name) is not installed")
        continue
      }
      try attach(to: subject, end: end, table)
    }
  }

  private func attach(to subject: AttachSubject, end: String, _ table: FigureTable) throws {
    try? FileManager.default.removeItem(atPath: end)
    let (process, output) = try Self.start(subject.words)
    let load = try subject.load.map(Self.start)
    // The processes begin.
    Thread.sleep(forTimeInterval: 1)
    var (times, sampled): ([Double], Int) = ([], 0)
    while times.count < Self.attachCount, process.isRunning {
      let began = DispatchTime.now().uptimeNanoseconds
      let session = try EventSession(attachingTo: process.processIdentifier, EventSettings())
      let ready = DispatchTime.now().uptimeNanoseconds
      Thread.sleep(forTimeInterval: 0.008)
      let capture = session.finish().program
      times.append(Double(ready - began) / 1e6)
      if capture.sampleCount > 0 { sampled += 1 }
    }
    let attached = times.count
    _ = FileManager.default.createFile(atPath: end, contents: nil)
    let all = [process] + [load?.process].compactMap(\.self)
    let hang = Self.endings(of: all)
    let checked = (load?.output ?? output).fileHandleForReading
    let text = hang ? "" : String(decoding: try checked.readToEnd() ?? Data(), as: UTF8.self)
    let isSame = text.split(separator: "\n").last.map(String.init) == Self.sameResults
    let crashes = all.count { !$0.isRunning && $0.terminationReason == .uncaughtSignal }
    times.sort()
    let slowest = times.isEmpty ? .nan : times[min(times.count - 1, times.count * 99 / 100)]
    table.add(
      "attaching to a busy \(subject.name) and detaching",
      target: "1,000 times, 0 crashes, 0 hangs, same results, sampling within 100 ms",
      measured: "\(attached) times, \(crashes) crashes, \(hang ? "a hang" : "0 hangs"), "
        + "\(isSame ? "same" : "other") results; sampling after \(Self.number(times.median)) ms (median), "
        + "\(Self.number(slowest)) ms (p99); samples within 8 ms in \(sampled)",
      isMet: attached == Self.attachCount && crashes == 0 && !hang && isSame && slowest <= 100)
  }

  private static func start(_ words: [String]) throws -> (process: Process, output: Pipe) {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: words[0])
    process.arguments = Array(words.dropFirst())
    process.standardOutput = output
    try process.run()
    return (process, output)
  }

  /// Waits for the ends of processes, and kills those that do not end.
  ///
  /// - Returns: Whether one did not end in time.
  private static func endings(of processes: [Process]) -> Bool {
    let deadline = Date(timeIntervalSinceNow: attachPatience)
    while processes.contains(where: \.isRunning), Date() < deadline {
      Thread.sleep(forTimeInterval: 0.05)
    }
    let living = processes.filter(\.isRunning)
    for process in living {
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
    return !living.isEmpty
  }

  // MARK: - Processes

  private func pythonSubject(_ workshop: BenchWorkshop, _ end: String) -> AttachSubject? {
    // A python3 in PATH may be a script that starts another one.
    workshop.tool("/usr/bin/python3").map { python in
      let script = """
        import hashlib, os, threading
        def work(number):
            hash = hashlib.sha256(b"x")
            for k in range(20000): hash.update(str(k * number).encode())
            return hash.hexdigest()
        def loop(number, wrong):
            first = work(number)
            while not os.path.exists("\(end)"):
                if work(number) != first: wrong.append(number)
        wrong = []
        threads = [threading.Thread(target=loop, args=(i, wrong)) for i in range(3)]
        [t.start() for t in threads]; [t.join() for t in threads]
        print("other" if wrong else "\(Self.sameResults)")
        """
      return AttachSubject(name: "python3 with three threads", words: [python, "-c", script])
    }
  }

  /// Returns a server in Swift whose tasks answer requests by an actor; nil without a compiler.
  private func swiftSubject(_ workshop: BenchWorkshop, _ end: String) throws -> AttachSubject? {
    guard let compiler = workshop.tool("swiftc") else { return nil }
    let (source, program) = (workshop.file("Server.swift"), workshop.file("server"))
    try """
    import Glibc

    actor Ledger {
      private var sum: UInt64 = 0
      func add(_ value: UInt64) { sum &+= value }
      var total: UInt64 { sum }
    }

    @inline(never) func answer(_ request: UInt64) -> UInt64 {
      var hash = 14_695_981_039_346_656_037 ^ request
      for step in 0..<2000 { hash = (hash ^ (hash >> 29) &+ UInt64(step)) &* 1_099_511_628_211 }
      return hash
    }

    @main struct Server {
      static func round() async -> UInt64 {
        let ledger = Ledger()
        await withTaskGroup(of: Void.self) { group in
          for client in 0..<3 {
            group.addTask {
              for request in 0..<1000 { await ledger.add(answer(UInt64(3 * request + client))) }
            }
          }
        }
        return await ledger.total
      }

      static func main() async {
        let first = await round()
        while access(CommandLine.arguments[1], F_OK) != 0 {
          guard await round() == first else { return print("other") }
        }
        print("\(Self.sameResults)")
      }
    }

    """.write(toFile: source, atomically: true, encoding: .utf8)
    _ = try PerfScript.run(
      compiler, ["-O", "-g", "-parse-as-library", "-o", program, source], keepsOutput: false)
    return AttachSubject(name: "Swift server of three clients", words: [program, end])
  }

  /// Returns a redis whose counter is checked, under load of twenty further clients; nil without redis.
  private func redisSubject(_ workshop: BenchWorkshop, _ end: String) throws -> AttachSubject? {
    guard let server = workshop.tool("redis-server"), let client = workshop.tool("redis-cli"),
      let load = workshop.tool("redis-benchmark")
    else { return nil }
    let (socket, commands) = (workshop.file("attached.sock"), workshop.file("commands"))
    let count = 5000
    try String(repeating: "INCR counted\n", count: count)
      .write(toFile: commands, atomically: true, encoding: .utf8)
    let script = """
      until \(client) -s \(socket) ping > /dev/null; do :; done
      rounds=0
      while [ ! -e \(end) ]; do
        \(load) -s \(socket) -n 100000 -c 20 -r 10000 -t set,get,lpush,zadd -q > /dev/null &
        \(client) -s \(socket) < \(commands) > /dev/null || exit 1
        wait $! || exit 1
        rounds=$((rounds + 1))
      done
      counted=$(\(client) -s \(socket) get counted)
      \(client) -s \(socket) shutdown nosave
      [ "$counted" = $((rounds * \(count))) ] && echo \(Self.sameResults)
      """
    return AttachSubject(
      name: "redis under load",
      words: [server, "--port", "0", "--unixsocket", socket, "--save", "", "--daemonize", "no"],
      load: ["/bin/sh", "-c", script])
  }
}
