/// A file format of another tool for profiles.
public enum ProfileFormat: String, Sendable, CaseIterable {
  /// The processed JSON format of the Firefox Profiler.
  case firefox
  /// The protocol buffer format of Google's pprof, in a gzip file.
  case pprof
  /// The JSON format of speedscope.
  case speedscope
  /// Text with one line per stack.
  case collapsed
  /// Trace events for Perfetto and chrome://tracing.
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
