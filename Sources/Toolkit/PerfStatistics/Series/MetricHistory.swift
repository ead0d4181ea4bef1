public import PerfModel

/// A metric over the commits of a program, with its changes.
///
/// A commit is one point, however often it was measured, because sessions differ by more than the
/// launches of one session. Each run is represented by its median, and a commit by the median of
/// its runs.
public struct MetricHistory: Sendable {
  /// The measurements of one commit.
  public struct Point: Hashable, Sendable {
    /// The commit; nil for a run without one, which is a point of its own.
    public let commit: String?
    /// Whether the work tree had uncommitted changes; runs of the same build form one point.
    public let isDirty: Bool
    /// The IDs of the runs, the earliest first; at least one.
    public let runs: [String]
    /// The start of the earliest run.
    public let started: Timestamp
    /// The median of the runs' medians, in the base unit.
    public let value: Double
    /// The smallest median of several runs, or the lower limit of the 95 % interval of one run.
    ///
    /// It is nil for one run with fewer than 6 launches.
    public let low: Double?
    /// The largest median of several runs, or the upper limit for one run.
    public let high: Double?
  }

  /// A change between two neighbouring points.
  public struct Change: Hashable, Sendable {
    /// The index of the first point after the change.
    public let index: Int
    /// The median of the points from the previous change to this one.
    public let before: Double
    /// The median of the points from this change to the next one.
    public let after: Double
    /// The size in the metric's scale: 0.03 is 3 %, or a difference in the unit.
    public let size: IntervalEstimate
    /// The p-value of the split, by permutations.
    public let p: Double
    /// Worse or better; nil for a metric without a better direction.
    public let verdict: ComparisonVerdict?
    /// The number of unmeasured commits between the two points; nil if unknown.
    public let unmeasured: Int?
  }

  /// Runs excluded from the series for one reason.
  public struct Omission: Hashable, Sendable {
    /// The reason, such as `measured with other parameters (books = 200)`.
    public let reason: String
    /// The number of runs.
    public let count: Int
  }

  /// The metric, with the scale on which changes are compared.
  public let definition: MetricDefinition
  /// The points, the oldest first; at least one.
  public let points: [Point]
  /// The number of earlier commits beyond the limit.
  public let earlier: Int
  /// The changes in order.
  public let changes: [Change]
  /// The excluded runs, most frequent reason first.
  public let omissions: [Omission]

  /// The smallest number of points for a search for changes.
  public static let pointsNeeded = 10

  /// Orders runs and finds changes; nil if no run has a finite value of the metric.
  ///
  /// The runs are of one scenario and variant, in any order. Runs whose parameters or environment
  /// differ from the latest run's are excluded, the latter unless they are allowed. Runs of outdated programs
  /// and of the commits `elsewhere`, such as those of other branches, are excluded unless there are no others.
  /// `order` contains all commits from the oldest to the newest, measured or not; runs of other commits are
  /// placed by time. The latest `limit` points are kept.
  public init?(
    of runs: [Run], metric: String, order: [String] = [], elsewhere: Set<String> = [],
    limit: Int = .max, allowsDifferentEnvironments: Bool = false
  ) {
    let sorted = runs.sorted { $0.started < $1.started }
    let sessions = sorted.compactMap { run in
      (try? Quantiles.estimate(0.5, of: run.values(of: metric))).map {
        Session(run: run, median: $0)
      }
    }
    let own = sessions.filter { $0.run.reasonOutside(of: elsewhere) == nil }
    guard let latest = (own.last ?? sessions.last)?.run,
      let definition = latest.definitions.first(where: { $0.name == metric })
    else { return nil }
    var reasons: [String: Int] = [:]
    if sessions.count < runs.count {
      reasons["without a value of \(metric)"] = runs.count - sessions.count
    }
    let kept = sessions.filter { session in
      let reason =
        (own.isEmpty ? nil : session.run.reasonOutside(of: elsewhere))
        ?? session.run.isIncomparable(
          with: latest, allowsDifferentEnvironments: allowsDifferentEnvironments)
      if let reason { reasons[reason, default: 0] += 1 }
      return reason == nil
    }
    let all = Self.ordered(Self.points(kept), by: order)
    points = Array(all.suffix(max(limit, 1)))
    earlier = all.count - points.count
    omissions = reasons.map { Omission(reason: $0.key, count: $0.value) }
      .sorted { ($1.count, $0.reason) < ($0.count, $1.reason) }
    let isRatio = definition.scale == .ratio && points.allSatisfy { $0.value > 0 }
    self.definition = isRatio ? definition : definition.compared(by: .difference)
    changes = Self.changes(points, self.definition, order: order)
  }

  private struct Session {
    let run: Run
    let median: IntervalEstimate
    /// The key of the point: a commit, or the content of a changed work tree.
    var place: [String] {
      guard let commit = run.environment[.commit] else { return [run.id] }
      guard run.environment[.dirty] == "true" else { return [commit] }
      return [commit, run.environment[.tree] ?? run.environment[.buildIdentity] ?? run.id]
    }
  }

  private static func points(_ sessions: [Session]) -> [Point] {
    Dictionary(grouping: sessions, by: \.place).values.map { sessions in
      let (first, medians) = (sessions[0], sessions.map(\.median.value).sorted())
      let isAlone = sessions.count == 1
      return Point(
        commit: first.run.environment[.commit],
        isDirty: first.run.environment[.dirty] == "true", runs: sessions.map(\.run.id),
        started: first.run.started, value: Quantiles.ofSorted(medians, 0.5),
        low: isAlone ? first.median.low : medians.first,
        high: isAlone ? first.median.high : medians.last)
    }
  }

  private static func ordered(_ points: [Point], by order: [String]) -> [Point] {
    let places = Dictionary(zip(order, order.indices)) { first, _ in first }
    func place(_ point: Point) -> Int? { point.commit.flatMap { places[$0] } }
    // Uncommitted changes are placed after their commit.
    var result = points.filter { place($0) != nil }.sorted { first, second in
      let (one, other) = (place(first) ?? 0, place(second) ?? 0)
      if one != other { return one < other }
      if first.isDirty != second.isDirty { return second.isDirty }
      return (first.started, first.runs[0]) < (second.started, second.runs[0])
    }
    let others = points.filter { place($0) == nil }
      .sorted { ($0.started, $0.runs[0]) < ($1.started, $1.runs[0]) }
    for point in others {
      let before = result.lastIndex { $0.started <= point.started }
      result.insert(point, at: before.map { $0 + 1 } ?? 0)
    }
    return result
  }
}

extension Run {
  /// The arguments of the command of this run and of another one, if both are known and differ; nil otherwise.
  func arguments(otherThanOf run: Run) -> (own: String, other: String)? {
    guard let own = environment[.arguments], let other = run.environment[.arguments], own != other
    else { return nil }
    return (own, other)
  }

  /// Returns the parameters that another run has with another value.
  func parameters(otherThanOf run: Run) -> Parameters {
    parameters.filter { name, value in run.parameters[name].map { $0 != value } ?? false }
  }

  /// Returns why a run does not show the program of a commit in HEAD's history; nil if it does.
  fileprivate func reasonOutside(of elsewhere: Set<String>) -> String? {
    if environment[.commit].map(elsewhere.contains) == true {
      return "of commits that HEAD does not contain"
    }
    // It may be of an earlier commit.
    return warnings.contains(where: \.isOfProgram)
      ? "of programs that were built before their source changed, or during the run" : nil
  }

  /// Returns why a series cannot contain both this run and another one; nil if it can.
  fileprivate func isIncomparable(
    with latest: Run, allowsDifferentEnvironments: Bool
  ) -> String? {
    let other = parameters(otherThanOf: latest)
    if !other.isEmpty {
      let list = other.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }
      return "measured with other parameters (\(list.joined(separator: ", ")))"
    }
    if let arguments = arguments(otherThanOf: latest) {
      return "measured with other arguments of the command (\(arguments.own))"
    }
    guard !allowsDifferentEnvironments else { return nil }
    let difference = environment.differences(to: latest.environment).first(where: \.voids)
    return difference.map {
      "measured in another environment (\($0.key) \($0.base ?? "unknown"))"
    }
  }
}

extension MetricHistory {
  /// Finds the changes of a series and estimates their sizes.
  private static func changes(
    _ points: [Point], _ definition: MetricDefinition, order: [String]
  ) -> [Change] {
    let values = points.map(\.value)
    guard values.count >= pointsNeeded, let found = try? ChangePoints.find(in: values) else {
      return []
    }
    let places = Dictionary(zip(order, order.indices)) { first, _ in first }
    let bounds = [0] + found.map(\.index) + [values.count]
    return found.enumerated().compactMap { index, point in
      let before = Array(values[bounds[index]..<point.index])
      let after = Array(values[point.index..<bounds[index + 2]])
      guard let size = size(from: before, to: after, definition.scale) else { return nil }
      let ends = [points[point.index - 1], points[point.index]].map { end in
        end.commit.flatMap { places[$0] }
      }
      return Change(
        index: point.index, before: point.before, after: point.after, size: size, p: point.p,
        verdict: verdict(size.value, definition.direction),
        unmeasured: ends[0].flatMap { start in ends[1].map { max($0 - start - 1, 0) } })
    }
  }

  /// Returns the Hodges-Lehmann shift, of logarithms on the ratio scale.
  private static func size(
    from before: [Double], to after: [Double], _ scale: MetricScale
  ) -> IntervalEstimate? {
    let shift = try? HodgesLehmann.shift(
      from: before.map(scale.position), to: after.map(scale.position))
    return shift?.mapped(scale.change)
  }

  fileprivate static func verdict(_ size: Double, _ direction: Direction) -> ComparisonVerdict? {
    switch direction {
    case .lower: size > 0 ? .regressed : .improved
    case .higher: size < 0 ? .regressed : .improved
    case .neutral: nil
    }
  }
}

extension MetricHistory {
  /// The latest points, four at most, that are far from all points since the last change; empty if there are none.
  ///
  /// They are too few for a test. Each is beyond the range of the others by more than the width of the range.
  public var unjudged: Range<Int> {
    let part = points[(changes.last?.index ?? 0)...]
    return points.count - farEnd(of: part)..<points.count
  }

  /// The first points, four at most, that are far from all points up to the first change, as `unjudged`.
  public var unjudgedFirst: Range<Int> {
    0..<farEnd(of: points[..<(changes.first?.index ?? points.count)].reversed())
  }

  /// Returns how many points at the end of a part are far from the others, of which there are five or more.
  private func farEnd(of part: some Collection<Point>) -> Int {
    let values = part.map { definition.scale.position($0.value) }
    let count = (1...4).last { count in
      let (level, end) = (values.dropLast(count), values.suffix(count))
      guard level.count >= 5, let low = level.min(), let high = level.max() else { return false }
      let width = high - low
      return end.allSatisfy { $0 > high + width } || end.allSatisfy { $0 < low - width }
    }
    return count ?? 0
  }

  /// The latest regression unless later changes took it back, and the size of the change up to now.
  public var regression: (change: Change, size: Double)? {
    guard let last = changes.last,
      let change = changes.last(where: { $0.verdict == .regressed })
    else { return nil }
    let scale = definition.scale
    let size =
      change == last
      ? change.size.value
      : scale.change(scale.position(last.after) - scale.position(change.before))
    return Self.verdict(size, definition.direction) == .regressed ? (change, size) : nil
  }
}
