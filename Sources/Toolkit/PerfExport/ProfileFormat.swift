/// A file format of another tool for profiles.
public enum ProfileFormat: String, Sendable, CaseIterable {
  case firefox
  case pprof
  case speedscope
  case collapsed
  case chrome

  /// A short description with the tools that open the format.
  public var summary: String {
    switch self {
    case .firefox: "Firefox Profiler (profiler.firefox.com), processed JSON"
    case .pprof: "pprof, gzip'ed profile.proto"
    case .speedscope: "speedscope JSON"
    case .collapsed: "collapsed stacks, for flamegraph.pl and inferno"
    case .chrome: "trace events, for Perfetto and chrome://tracing"
    }
  }
}
