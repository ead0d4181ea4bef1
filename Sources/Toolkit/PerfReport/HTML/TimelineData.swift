internal import PerfModel

/// The events of some launches on one time axis, for the page's script.
///
/// Times are in microseconds from the start of the measured phase. A launch without a recorded start
/// begins with its first frame.
struct TimelineData {
  private let launches: [Launch]
  /// The launch that is shown first.
  private let shown: Int
  /// The names of spans.
  private let names: [String]
  /// The samples of each launch by number, as text; empty without a flame graph.
  private let samples: [Int: String]

  /// The maximum number of launches, frames, spans and samples of a page, and of points of a series.
  private static let limits = (
    launches: 24, frames: 60_000, spans: 60_000, samples: 250_000, points: 400
  )

  /// Creates the data of a run's launches with frames, spans or series; nil if there are none.
  ///
  /// Of too many launches, it contains the one with the median hitch time and those with the most hitches.
  ///
  /// - Parameters:
  ///   - run: The run.
  ///   - flame: The flame graph of the page.
  ///   - isBase: Whether the run is the base of the flame graph.
  ///   - other: The other run of a comparison, which has the same colours of names.
  init?(_ run: Run, flame: FlameData?, isBase: Bool = false, other: Run? = nil) {
    let drawable = run.drawn.filter { launch in
      !launch.frames.isEmpty || !launch.spans.isEmpty
        || launch.series.contains { Self.trackNames.contains($0.name) && !$0.times.isEmpty }
    }
    let byHitch = drawable.sorted { ($0.hitchTime, $0.index) < ($1.hitchTime, $1.index) }
    guard let shown = run.middleLaunch ?? drawable.first else { return nil }
    let kept = Set(byHitch.suffix(Self.limits.launches - 1).map(\.index) + [shown.index])
    launches = drawable.filter { kept.contains($0.index) }
    let sides = isBase ? [run, other] : [other, run]
    names = sides.compactMap(\.self).flatMap(\.drawn).flatMap(\.spans).map(\.name).uniqued()
    self.shown = launches.firstIndex { $0.index == shown.index } ?? 0
    samples =
      flame.flatMap { flame in
        run.profile.map { profile in
          Self.samples(of: profile, in: kept, first: shown.index, flame, isBase: isBase)
        }
      } ?? [:]
  }

  /// Whether a flame graph of a period can be drawn.
  var hasSamples: Bool { !samples.isEmpty }

  /// Whether a launch has frames.
  var hasFrames: Bool { launches.contains { !$0.frames.isEmpty } }

  /// Whether a launch has moments without a duration.
  var hasEvents: Bool { hasSpans { $0 == .event } }

  /// The contents of the tracks in words, such as `frames, phases, CPU and memory`.
  var contents: String {
    func hasSeries(_ name: String) -> Bool {
      launches.contains { $0.series.contains { $0.name == name && !$0.times.isEmpty } }
    }
    let contents = [
      ("frames", hasFrames), ("phases", hasSpans { $0 == .phase }),
      ("signposts", hasSpans { $0 == .signpost }), ("events", hasEvents),
      ("CPU", hasSeries("cpu")), ("memory", hasSeries("rss")),
    ]
    return Wording.list(contents.filter(\.1).map(\.0))
  }

  private func hasSpans(_ isSelected: (Span.Kind) -> Bool) -> Bool {
    launches.contains { $0.spans.contains { isSelected($0.kind) } }
  }

  private static let trackNames = ["cpu", "rss"]

  var json: String {
    let numbers = Dictionary(uniqueKeysWithValues: zip(names, names.indices))
    let share = max(launches.count, 1)
    return JSONValue.object([
      "shown": .int(shown), "names": .array(names.map(JSONValue.string)),
      "launches": .array(
        launches.map { launch in
          .object([
            "number": .int(launch.index),
            "missed": .int(launch.frames.count { $0.hitch > 0 }),
            "period": .number(Double(launch.frames.first.map(Self.period) ?? 0) / 1000),
            "frameCount": .int(launch.frames.count),
            "frames": .string(Self.frames(of: launch, limit: Self.limits.frames / share)),
            "spanCount": .int(launch.spans.count),
            "spans": .string(
              Self.spans(of: launch, numbers: numbers, limit: Self.limits.spans / share)),
            "series": .array(Self.trackNames.compactMap { Self.series($0, of: launch) }),
            "samples": .string(samples[launch.index] ?? ""),
          ])
        }),
    ]).text(isIndented: false)
  }

  /// Returns the refresh period in nanoseconds: a frame's deadline is one period after its slot.
  private static func period(of frame: FrameRecord) -> Int64 {
    max(0, Int64(clamping: frame.cost) - frame.overrun)
  }

  /// Returns the frames: for each the distance from the previous one, the cost, the hitch and the number.
  ///
  /// Of too many frames, it contains those with the highest costs.
  private static func frames(of launch: Launch, limit: Int) -> String {
    let origin = launch.origin
    var frames = launch.frames
    if frames.count > limit {
      frames = Array(frames.sorted { ($1.cost, $0.index) < ($0.cost, $1.index) }.prefix(limit))
    }
    frames.sort { ($0.began, $0.index) < ($1.began, $1.index) }
    var text = NumberText()
    var last = 0
    for frame in frames {
      let began = Self.microseconds(frame.began < origin ? 0 : frame.began - origin)
      text.append(
        began - last, Self.microseconds(frame.cost), Self.microseconds(frame.hitch), frame.index)
      last = began
    }
    return text.text
  }

  /// Returns the spans: for each the distance from the previous one, the duration, the kind and the number of
  /// the name.
  ///
  /// Of too many spans, it contains the longest ones.
  private static func spans(of launch: Launch, numbers: [String: Int], limit: Int) -> String {
    var spans = launch.spans
    if spans.count > limit {
      spans = Array(
        spans.sorted { ($1.duration, $0.began) < ($0.duration, $1.began) }.prefix(limit))
    }
    // An outer span precedes its inner ones.
    spans.sort { ($0.began, $1.duration) < ($1.began, $0.duration) }
    var text = NumberText()
    var last = 0
    for span in spans {
      let began = Self.microseconds(span.began)
      text.append(
        began - last, Self.microseconds(span.duration), span.kind.rawValue, numbers[span.name] ?? 0)
      last = began
    }
    return text.text
  }

  private static func series(_ name: String, of launch: Launch) -> JSONValue? {
    guard let series = launch.series.first(where: { $0.name == name }), let end = series.times.last
    else { return nil }
    let points = Downsampling.extremes(
      zip(series.times, series.values).map { Layer.Point(Double($0) / 1000, $1) },
      in: 0...max(Double(end) / 1000, 1), buckets: limits.points)
    return .object([
      "name": .string(name), "times": .array(points.map { .int(Int(nearest: $0.x)) }),
      "values": .array(points.map { .number(Self.rounded($0.y)) }),
    ])
  }

  /// Returns a value with four decimals below 100, and without decimals above.
  private static func rounded(_ value: Double) -> Double {
    value.magnitude < 100 ? (value * 10_000).rounded() / 10_000 : value.rounded()
  }

  /// Returns the samples of each launch: for each the distance from the previous one, the number of the
  /// row, and the weight in microseconds.
  ///
  /// Of too many samples, it contains those of the first launch and of others as they fit.
  private static func samples(
    of profile: Profile, in launches: Set<Int>, first: Int, _ flame: FlameData, isBase: Bool
  ) -> [Int: String] {
    let numbers = flame.rowNumbers
    var left = flame.isDifference ? limits.samples / 2 : limits.samples
    var texts: [Int: String] = [:]
    let timelines = profile.weightedTimeline(launches.contains)
    // Without all samples of a launch, a flame graph of one frame would be wrong.
    for (launch, moments) in timelines.filter({ $0.launch == first })
      + timelines.filter({ $0.launch != first }) where moments.count <= left
    {
      left -= moments.count
      var text = NumberText()
      var last = 0
      for sample in moments {
        guard let row = numbers[flame.row(of: sample.moment, isBase: isBase)] else { continue }
        let time = microseconds(sample.moment.time)
        text.append(time - last, row, Int(nearest: sample.weight / 1000))
        last = time
      }
      texts[launch] = text.text
    }
    return texts
  }

  private static func microseconds(_ nanoseconds: UInt64) -> Int { Int(nanoseconds / 1000) }
}

extension Launch {
  /// The time at which the time axis of the launch begins, in CLOCK_MONOTONIC nanoseconds.
  fileprivate var origin: UInt64 {
    began ?? frames.first.map { min($0.slot, $0.began) } ?? 0
  }
}
