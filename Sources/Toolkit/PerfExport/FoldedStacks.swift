public import PerfModel

/// A profile in the collapsed format with one line per stack: `outer;inner;leaf 42`.
///
/// Brendan Gregg's flamegraph.pl, inferno, speedscope and others read it.
public struct FoldedStacks: Sendable {
  /// The unit of the number at the end of a line.
  public enum Value: Sendable {
    /// The number of samples.
    case samples
    /// CPU time; wall time for waiting threads.
    case nanoseconds
  }

  /// The lines, sorted by stack, without newlines.
  public let lines: [String]

  /// The lines as text that ends with a newline; empty without samples.
  public var text: String { lines.map { $0 + "\n" }.joined() }

  /// Folds a profile.
  ///
  /// - Parameters:
  ///   - profile: The profile.
  ///   - value: The unit of the numbers.
  ///   - hasThreads: Whether each stack starts with the name of its thread.
  ///   - include: Selects the counts to fold; by default the counts of running threads.
  /// - Complexity: O(*nodes* x *depth* + *counts*).
  public init(
    _ profile: Profile, value: Value = .samples, hasThreads: Bool = false,
    include: (Profile.Count) -> Bool = { $0.state == .running }
  ) {
    var sums: [String: Double] = [:]
    var stacks: [Int: String] = [:]
    for count in profile.counts where include(count) {
      let stack = stacks[count.node] ?? Self.stack(of: count.node, in: profile)
      stacks[count.node] = stack
      let thread = hasThreads ? Self.plain(profile.threads[count.thread].name) + ";" : ""
      let amount =
        switch value {
        case .samples: Double(count.samples)
        case .nanoseconds: count.weight
        }
      sums[thread + stack, default: 0] += amount
    }
    lines = sums.sorted { $0.key < $1.key }.compactMap { stack, sum in
      sum.rounded() > 0 ? "\(stack) \(Int(nearest: sum))" : nil
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
