public import PerfModel

/// The cost of each source line of a function, over all callers and all places where it is inlined.
public struct SourceLines: Sendable {
  /// The cost of a line per launch: nanoseconds of CPU time.
  public struct Cost: Hashable, Sendable {
    /// The line itself, with the library code that is folded into it.
    public internal(set) var own = 0.0
    /// The line with all that it calls; a recursive function counts its outermost call.
    public internal(set) var total = 0.0
  }

  /// The function.
  public let function: Profile.Function
  /// The costs by the number of the line; 0 is code without a line.
  public let lines: [Int: Cost]
  /// The CPU time of all functions per launch, in nanoseconds.
  public let all: Double
  /// What the costs measure.
  private let measure: Profile.Measure
  private let isPerLaunch: Bool

  /// Returns the functions that a text names: those with this name or full name, or else those whose names
  /// contain it.
  ///
  /// - Returns: The functions with samples, one for each key, by name.
  public static func functions(named text: String, in profile: Profile) -> [Profile.Function] {
    var samples = Array(repeating: 0.0, count: profile.nodes.count)
    for count in profile.counts where count.state == .running {
      samples[count.node] += Double(count.samples)
    }
    let used = zip(profile.nodes, profile.sumsOfSubtrees(samples)).filter { $1 > 0 }
    let functions = Set(used.map(\.0.function))
      .map { profile.functions[$0] }
    let exact = functions.filter { [$0.name, $0.signature, $0.key].contains(text) }
    let found = exact.isEmpty ? functions.filter { $0.name.contains(text) } : exact
    let byKey = Dictionary(found.map { ($0.key, $0) }) { $0.name.count <= $1.name.count ? $0 : $1 }
    return byKey.values.sorted { ($0.name, $0.key) < ($1.name, $1.key) }
  }

  /// Sums the samples of running threads.
  ///
  /// - Parameters:
  ///   - function: The function.
  ///   - profile: The profile.
  ///   - launches: The number of sampled launches.
  ///   - filter: The samples that count.
  /// - Complexity: O(*nodes* x *depth* + *counts*).
  public init(
    of function: Profile.Function, in profile: Profile, launches: Int,
    filter: SampleFilter = SampleFilter()
  ) {
    self.function = function
    measure = profile.measure
    isPerLaunch = launches > 0
    let share = 1 / Double(max(launches, 1))
    var own = Array(repeating: 0.0, count: profile.nodes.count)
    for count in profile.counts
    where count.state == .running && filter.selects(count, of: profile) {
      own[count.node] += count.weight * share
    }
    all = own.reduce(0, +)
    let subtree = profile.sumsOfSubtrees(own)
    let isIt = profile.nodes.map { profile.functions[$0.function].key == function.key }
    let isOutermost = profile.isOutermost(in: isIt)
    var lines: [Int: Cost] = [:]
    for (index, node) in profile.nodes.enumerated() where isIt[index] && subtree[index] > 0 {
      lines[node.line, default: Cost()].own += own[index]
      if isOutermost[index] { lines[node.line, default: Cost()].total += subtree[index] }
    }
    self.lines = lines
  }

  /// Lines before and after each line with samples that are shown, too.
  private static let context = 2

  /// Returns the table of lines: those with samples and their neighbours.
  ///
  /// - Parameters:
  ///   - text: The lines of the source file; nil if it cannot be read.
  ///   - id: The table's id.
  /// - Returns: The table, with a row of dots for each gap.
  public func table(_ text: [String]?, id: String = "lines") -> Table {
    let known = lines.keys.filter { $0 > 0 }.sorted()
    var shown = known
    if let text {
      let near = known.flatMap { ($0 - Self.context)...($0 + Self.context) }
      shown = Set(near).filter { $0 >= 1 && $0 <= text.count }.union(known).sorted()
    }
    var rows: [[Table.Cell]] = []
    var last: Int?
    for line in shown {
      if let last, line > last + 1 { rows.append(["", "", "", "..."].map { .init($0, .muted) }) }
      last = line
      rows.append(row(line, Self.line(line, of: text)))
    }
    if lines[0] != nil { rows.append(row(0, "(code without a line)")) }
    return Table(
      id: id, title: "Lines of \(function.name)",
      columns: [
        .init("self", .trailing), .init("total", .trailing), .init("line", .trailing),
        .init("source", isCode: true),
      ],
      rows: rows,
      caption:
        "Shares of \(Wording.sampled(all, measure))\(isPerLaunch ? " per launch" : ""), of all "
        + "functions. Total is the line with all that it calls.")
  }

  /// Returns the lines with samples as JSON, with costs in base units per launch.
  public func json(_ text: [String]?, note: String?) -> JSONValue {
    let suffix =
      switch measure.dimension {
      case .time: "_ns"
      case .size: "_bytes"
      default: ""
      }
    let isOfCPU = measure.name == Profile.Measure.cpuTime.name
    return .object([
      "schema": "perfkit.annotation/1", "function": .string(function.name),
      "module": .string(function.module),
      "file": .optional(function.file), isOfCPU ? "cpu_ns" : "all\(suffix)": .number(all),
      "lines": .array(
        lines.sorted { $0.key < $1.key }.map { line, cost in
          .object([
            "line": .int(line), "self\(suffix)": .number(cost.own),
            "total\(suffix)": .number(cost.total),
            "source": .optional(Self.line(line, of: text)),
          ])
        }),
      "note": .optional(note),
    ])
  }

  /// Returns a line of a text by its number, from 1; nil if there is none.
  private static func line(_ number: Int, of text: [String]?) -> String? {
    text.flatMap { $0.indices.contains(number - 1) ? $0[number - 1] : nil }
  }

  private func row(_ line: Int, _ text: String?) -> [Table.Cell] {
    let cost = lines[line]
    func share(_ value: Double?) -> String {
      value.map { $0 > 0 ? Wording.share($0, of: all) : "" } ?? ""
    }
    return [
      .init(share(cost?.own), .strong), .init(share(cost?.total)),
      .init(line > 0 ? "\(line)" : "", .muted),
      .init((text ?? "").replacing("\t", with: "    "), cost == nil ? .muted : .plain),
    ]
  }
}
