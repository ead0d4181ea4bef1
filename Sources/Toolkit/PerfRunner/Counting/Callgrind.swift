/// The events that counted launches count besides instructions and calls.
public struct CountedEvents: OptionSet, Sendable {
  /// The bits.
  public let rawValue: Int

  /// Creates a set of bits.
  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// The misses of simulated caches.
  public static let cacheMisses = CountedEvents(rawValue: 1)
  /// The mispredictions of a simulated branch predictor.
  public static let branchMisses = CountedEvents(rawValue: 2)
}

/// Callgrind, the tool of valgrind that counts the instructions and calls of a program.
public struct Callgrind: Sendable {
  /// The path of valgrind.
  let path: String
  /// The counted events besides instructions and calls.
  let events: CountedEvents

  /// The simulated caches are the same on every machine, so that their misses can be compared:
  /// bytes, associativity and line size of the first caches and the last one.
  private static let caches = ["--I1=32768,8,64", "--D1=32768,8,64", "--LL=8388608,16,64"]

  /// Hashes of these languages depend on a random seed, and with it the number of instructions.
  private static let seeds = [
    "SWIFT_DETERMINISTIC_HASHING": "1", "PYTHONHASHSEED": "0", "PERL_HASH_SEED": "0",
  ]

  /// The conditions of the launches, in words.
  var summary: String {
    let simulated =
      (events.contains(.cacheMisses) ? ["caches"] : [])
      + (events.contains(.branchMisses) ? ["branches"] : [])
    return "counted by callgrind"
      + (simulated.isEmpty ? "" : " with simulated " + simulated.joined(separator: " and "))
  }

  /// Changes a launch so that it is counted.
  ///
  /// - Parameters:
  ///   - launch: The launch of the program, or of a copy.
  ///   - folder: The folder of callgrind's files.
  ///   - isWhole: Whether the launch is counted from its start. Otherwise a request of the worker
  ///     starts the counting at the measured phase. A worker stops it in both cases.
  func prepare(_ launch: inout WorkerProcess.Configuration, in folder: String, isWhole: Bool) {
    // A percent sign in the name of a file begins a pattern.
    let folder = folder.split(separator: "%", omittingEmptySubsequences: false)
      .joined(separator: "%%")
    let options =
      [
        "--tool=callgrind", "--command-line-only=yes", "--trace-children=no", "--vgdb=no",
        "--dump-instr=yes", "--dump-line=no", "--instr-atstart=\(isWhole ? "yes" : "no")",
        // A forked process writes a file as well, with its own number.
        "--callgrind-out-file=\(folder)/counts.%p", "--log-file=\(folder)/valgrind.log",
      ]
      + (events.contains(.cacheMisses) ? ["--cache-sim=yes"] + Self.caches : [])
      + (events.contains(.branchMisses) ? ["--branch-sim=yes"] : [])
    launch.arguments = options + [launch.path] + launch.arguments
    launch.path = path
    launch.environment.merge(Self.seeds) { own, _ in own }
    launch.environment["SWIFT_DETERMINISTIC_HASHING"] = "1"
  }

  /// Returns the time limit of a counted launch.
  ///
  /// Programs are 20 to 100 times slower under callgrind (valgrind manual), and simulations double
  /// that. Threads share one CPU.
  ///
  /// - Parameter time: The time of a launch without callgrind in nanoseconds.
  /// - Returns: Nanoseconds.
  func timeLimit(plain time: UInt64) -> UInt64 {
    let slowdown: UInt64 = events.isEmpty ? 200 : 400
    let (limit, overflow) = time.multipliedReportingOverflow(by: slowdown)
    return (overflow ? UInt64.max / 4 : min(limit, .max / 4)) + 60_000_000_000
  }

  /// Returns the reason in a log why valgrind did not run a program; nil if it states none.
  static func obstacle(in log: String) -> String? {
    // Lines begin with "==PID== ".
    let lines = log.split(separator: "\n").map { line in
      line.hasPrefix("==") ? line.split(separator: " ", maxSplits: 1).last ?? "" : line
    }
    if lines.contains(where: { $0.contains("Unrecognised instruction") }) {
      return "valgrind does not know an instruction of the program, e.g. of AVX-512. Build it for "
        + "an older CPU (-march=x86-64-v3)"
    }
    let stop = lines.first { $0.lowercased().hasPrefix("valgrind: ") }
    return stop.map { line in
      let message = line.dropFirst("valgrind: ".count)
      return "valgrind stopped: \(message.last == ":" ? message.dropLast() : message)"
    }
  }
}

extension ProgramFinder {
  /// Finds valgrind in PATH.
  ///
  /// - Parameter events: The events to count besides instructions and calls.
  /// - Returns: The tool.
  /// - Throws: `RunnerError.valgrindNotFound`.
  public func callgrind(_ events: CountedEvents) throws(RunnerError) -> Callgrind {
    guard let path = Self.path(of: "valgrind", environment) else { throw .valgrindNotFound }
    return Callgrind(path: path, events: events)
  }
}
