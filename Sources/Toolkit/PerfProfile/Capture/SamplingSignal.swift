internal import Glibc

/// A signal that can sample a process.
public struct SamplingSignal: Hashable, Sendable {
  /// The system's number of the signal.
  public let number: Int32

  /// SIGPROF, which few programs use.
  public static let standard = Self(number: CaptureConfiguration.defaultSignal)

  private init(number: Int32) { self.number = number }

  /// Parses the name of a signal: `USR2` or `SIGUSR2` in any case, `RTMIN+3`, `RTMAX-1`, or a
  /// number.
  ///
  /// - Throws: `PerfProfileError.signal` if there is no such signal or if programs need it
  ///   themselves.
  public init(_ name: String) throws(PerfProfileError) {
    guard let number = Self.number(of: name) else {
      throw .signal(name: name, reason: "there is no such signal")
    }
    if let reason = Self.objection(to: number) { throw .signal(name: name, reason: reason) }
    self.number = number
  }

  /// Returns the name of a rarely used signal other than the given one.
  static func alternative(to number: Int32) -> String {
    // Programs use real-time signals from the lowest one upwards.
    number == realTime.lowerBound + 3 ? "RTMAX-3" : "RTMIN+3"
  }

  private static let usable = [
    "PROF": SIGPROF, "USR1": SIGUSR1, "USR2": SIGUSR2, "VTALRM": SIGVTALRM, "URG": SIGURG,
    "IO": SIGIO, "STKFLT": SIGSTKFLT, "PWR": SIGPWR,
  ]

  private static let reserved: [String: Int32] = [
    "HUP": SIGHUP, "INT": SIGINT, "QUIT": SIGQUIT, "ILL": SIGILL, "TRAP": SIGTRAP, "ABRT": SIGABRT,
    "BUS": SIGBUS, "FPE": SIGFPE, "KILL": SIGKILL, "SEGV": SIGSEGV, "PIPE": SIGPIPE,
    "ALRM": SIGALRM, "TERM": SIGTERM, "CHLD": SIGCHLD, "CONT": SIGCONT, "STOP": SIGSTOP,
    "TSTP": SIGTSTP, "TTIN": SIGTTIN, "TTOU": SIGTTOU, "XCPU": SIGXCPU, "XFSZ": SIGXFSZ,
    "WINCH": SIGWINCH, "SYS": SIGSYS,
  ]

  /// The real-time signals that glibc does not use itself.
  private static let realTime: ClosedRange<Int32> = 34...64

  private static func number(of text: String) -> Int32? {
    if let number = Int32(text) { return (1...realTime.upperBound).contains(number) ? number : nil }
    var name = text.uppercased()
    if name.hasPrefix("SIG") { name.removeFirst(3) }
    if let number = usable[name] ?? reserved[name] { return number }
    for (base, first) in [("RTMIN", realTime.lowerBound), ("RTMAX", realTime.upperBound)]
    where name.hasPrefix(base) {
      let rest = name.dropFirst(base.count)
      guard let offset = rest.isEmpty ? 0 : Int32(rest), (-64...64).contains(offset),
        rest.isEmpty || rest.hasPrefix("+") || rest.hasPrefix("-")
      else { return nil }
      return realTime.contains(first + offset) ? first + offset : nil
    }
    return nil
  }

  /// Returns why a signal cannot sample a program; nil if it can.
  private static func objection(to number: Int32) -> String? {
    if usable.values.contains(number) || realTime.contains(number) { return nil }
    return switch number {
    case SIGKILL, SIGSTOP: "no program can handle it"
    case SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS:
      "it reports crashes"
    case SIGCHLD, SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU: "shells and debuggers use it"
    case 32, 33: "the C library uses it"
    default: "other programs send it, or it ends the program"
    }
  }
}
