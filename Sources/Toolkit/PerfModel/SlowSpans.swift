/// The slowest spans of a run and the spans in the middle, both with their samples.
public struct SlowSpans: Sendable {
  /// A choice of spans.
  public struct Choice: Hashable, Sendable {
    /// The name of the spans.
    public let name: String
    /// Phases or signposts.
    public let kind: Span.Kind
    /// The share of the spans that counts as slow, above 0 and at most `largestShare`.
    public let share: Double

    /// Creates a choice.
    public init(name: String, kind: Span.Kind, share: Double) {
      self.name = name
      self.kind = kind
      self.share = share
    }
  }

  /// The largest share of slow spans: the middle half of the spans begins there.
  public static let largestShare = 0.25
  /// The smallest number of spans that has both slow ones and a middle half.
  public static let fewest = 4

  /// Spans with their samples.
  public struct Group: Sendable {
    /// The durations of the spans in nanoseconds, longest first.
    public let durations: [UInt64]
    /// The samples without a time line: each launch is one span, in the order of the durations.
    public let profile: Profile

    /// The mean duration in nanoseconds.
    public var meanDuration: Double {
      durations.reduce(0) { $0 + Double($1) / Double(durations.count) }
    }
  }

  /// The choice.
  public let choice: Choice
  /// The measured scenario and variant.
  public let subject: String
  /// The number of all chosen spans.
  public let count: Int
  /// The slowest spans.
  public let slow: Group
  /// The spans from the first to the third quartile.
  public let middle: Group

  /// Selects spans of a run, with the samples that their threads took in them.
  ///
  /// A span without a known thread has the samples of all threads. Waits count as far as they overlap
  /// the span. The result is nil if the run has no profile or fewer than `fewest` of these spans.
  ///
  /// - Parameters:
  ///   - run: The run, with its profile, time line and spans.
  ///   - choice: The choice of the spans.
  /// - Complexity: O(*samples* log *samples* + *spans* x *samples in a span*).
  public init?(of run: Run, _ choice: Choice) {
    guard let profile = run.profile else { return nil }
    let spans = run.sampled.flatMap { launch in
      launch.spans.filter { $0.kind == choice.kind && $0.name == choice.name }
        .map { Place(launch: launch.index, span: $0) }
    }
    .sorted {
      ($1.span.duration, $0.launch, $0.span.began) < ($0.span.duration, $1.launch, $1.span.began)
    }
    guard spans.count >= Self.fewest else { return nil }
    let slowest = max(1, Int((Double(spans.count) * choice.share).rounded(.up)))
    let quarter = max(slowest, spans.count / 4)
    let samples = SpanSamples(profile)
    self.choice = choice
    subject = run.subject
    count = spans.count
    slow = samples.group(spans.prefix(slowest))
    middle = samples.group(spans[quarter..<max(quarter + 1, spans.count - quarter)])
  }

  /// A span of a launch.
  fileprivate struct Place {
    let launch: Int
    let span: Span
  }
}

/// The samples of a profile by launch and thread, in which spans are looked up.
private struct SpanSamples {
  private let profile: Profile
  /// The samples by number of the launch, number of the thread, and time.
  private let samples: [Int: [Int: [Profile.WeightedMoment]]]

  init(_ profile: Profile) {
    self.profile = profile
    samples = Dictionary(
      profile.weightedTimeline().map { launch, moments in
        (launch, Dictionary(grouping: moments) { $0.moment.serial })
      }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the samples of spans.
  func group(_ spans: some Collection<SlowSpans.Place>) -> SlowSpans.Group {
    var counts: [Profile.Count] = []
    for (number, place) in spans.enumerated() { counts += self.counts(of: place, as: number) }
    return SlowSpans.Group(
      durations: spans.map(\.span.duration),
      profile: Profile(
        functions: profile.functions, nodes: profile.nodes, threads: profile.threads,
        phases: profile.phases, signposts: profile.signposts, counts: counts, timeline: [:],
        audit: profile.audit, modules: profile.modules))
  }

  /// Returns the samples of a span as counts of a launch.
  private func counts(of place: SlowSpans.Place, as launch: Int) -> [Profile.Count] {
    let threads = samples[place.launch] ?? [:]
    let serials = place.span.serial == 0 ? threads.keys.sorted() : [place.span.serial]
    let began = place.span.began
    let (sum, isTooLarge) = began.addingReportingOverflow(place.span.duration)
    let ended = isTooLarge ? .max : sum
    return serials.flatMap { serial -> [Profile.Count] in
      let moments = threads[serial] ?? []
      let before = lastIndex(of: moments.indices) { moments[$0].moment.time < began }
      var found: [Profile.Count] = []
      // The wait before the first sample may last into the span.
      if let before, moments[before].moment.state == .waiting {
        found += [count(moments[before], within: began...ended, launch)].compactMap(\.self)
      }
      for moment in moments[(before.map { $0 + 1 } ?? 0)...] {
        guard moment.moment.time <= ended else { break }
        found += [count(moment, within: began...ended, launch)].compactMap(\.self)
      }
      return found
    }
  }

  /// Returns a sample as a count; nil for a wait outside of the span.
  private func count(
    _ weighted: Profile.WeightedMoment, within span: ClosedRange<UInt64>, _ launch: Int
  ) -> Profile.Count? {
    let moment = weighted.moment
    var weight = weighted.weight
    if moment.state == .waiting {
      let end = min(Double(moment.time) + weight, Double(span.upperBound))
      weight = end - Double(max(moment.time, span.lowerBound))
      guard weight > 0 else { return nil }
    }
    return Profile.Count(
      launch: launch, node: moment.node, thread: moment.thread, phase: moment.phase,
      signpost: moment.signpost, frameClass: moment.frameClass, state: moment.state, samples: 1,
      weight: weight)
  }
}
