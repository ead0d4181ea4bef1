/// A file format of another tool that a profile can be written in.
public enum ProfileFormat: String, Sendable, CaseIterable {
  case firefox
  case pprof
  case speedscope
  case collapsed
  case chrome

  /// What opens it, in a few words.
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
