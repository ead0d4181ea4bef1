public import PerfModel

/// A profile in the collapsed format with one line per stack: `outer;inner;leaf 42`.
///
/// Brendan Gregg's flamegraph.pl, inferno, speedscope and others read it. The number is that of samples, or
/// the weight in base units where the numbers of samples are unknown.
public struct FoldedStacks: Sendable {
  /// The lines, sorted by stack, without newlines.
  public let lines: [String]

  /// The lines as text that ends with a newline; empty without samples.
  public var text: String { lines.map { $0 + "\n" }.joined() }

  /// Folds a profile.
  ///
  /// - Parameters:
  ///   - profile: The profile.
  ///   - hasThreads: Whether each stack starts with the name of its thread.
  ///   - include: Selects the counts to fold; by default the counts of running threads.
  /// - Complexity: O(*nodes* x *depth* + *counts*).
  public init(
    _ profile: Profile, hasThreads: Bool = false,
    include: (Profile.Count) -> Bool = { $0.state == .running }
  ) {
    var sums: [String: Int] = [:]
    var stacks: [Int: String] = [:]
    for count in profile.counts where include(count) {
      let stack = stacks[count.node] ?? Self.stack(of: count.node, in: profile)
      stacks[count.node] = stack
      let thread = hasThreads ? Self.plain(profile.threads[count.thread].name) + ";" : ""
      sums[thread + stack, default: 0] &+=
        profile.measure.hasSamples ? count.samples : Int(nearest: count.weight)
    }
    lines = sums.sorted { $0.key < $1.key }.compactMap { stack, sum in
      sum > 0 ? "\(stack) \(sum)" : nil
    }
  }

  private static func stack(of node: Int, in profile: Profile) -> String {
    profile.path(to: node)
      .map { plain(profile.functions[profile.nodes[$0].function].name) }
      .joined(separator: ";")
  }

  /// Replaces the separator and line breaks, which names such as Rust's `[u8; 4]` contain.
  private static func plain(_ name: String) -> String {
    name.escaping([";": ":", "\n": " ", "\r": " "])
  }
}
