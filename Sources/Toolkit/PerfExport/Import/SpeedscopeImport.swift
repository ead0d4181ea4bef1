internal import PerfModel

/// A profile in the format of speedscope, with samples or with the events of calls.
///
/// Each profile in the file is a thread. Source: github.com/jlfwong/speedscope,
/// src/lib/file-format-spec.ts.
struct SpeedscopeImport {
  private(set) var tree = ImportedTree(.speedscope)
  private let frames: [Document.Shared.Frame]

  private struct Document: Decodable {
    struct Shared: Decodable {
      struct Frame: Decodable {
        let name: String
        let file: String?
        let line: Int?
      }
      let frames: [Frame]
    }

    struct View: Decodable {
      let type: String
      let name: String?
      let unit: String
      let endValue: Double?
      let samples: [[Int]]?
      let weights: [Double]?
      let events: [Event]?
    }

    struct Event: Decodable {
      let type: String
      let at: Double
      let frame: Int
    }

    let shared: Shared
    let profiles: [View]
    let activeProfileIndex: Int?
    let exporter: String?
  }

  init(_ content: [UInt8]) throws(ImportError) {
    let document = try ImportFormat.speedscope.decode(Document.self, from: content)
    frames = document.shared.frames
    let isOwn = document.exporter == "perfkit"
    var views = document.profiles
    var active = document.activeProfileIndex.flatMap {
      views.indices.contains($0) ? views[$0] : nil
    }
    // The first view of several in PerfKit's exports adds up the others.
    if isOwn, views.count > 1, views[0].name == "all threads" { views.removeFirst() }
    active = active ?? views.first
    guard let active else { throw .noSamples(.speedscope) }
    let (measure, factor) = try Self.measure(of: active.unit, isOwn: isOwn)
    tree.measure = measure
    for view in views where view.unit == active.unit { try add(view, factor: factor) }
    let others = views.count { $0.unit != active.unit }
    if others > 0 {
      tree.warnings.append(
        RunWarning(
          code: "import.units",
          message: "\(others) of \(views.count) profiles in the imported file are left out: their "
            + "unit is not \(active.unit)"))
    }
  }

  /// Returns what the weights measure, and the factor to the base unit.
  private static func measure(
    of unit: String, isOwn: Bool
  ) throws(ImportError) -> (Profile.Measure, factor: Double) {
    let times: [String: Unit] = [
      "nanoseconds": .nanoseconds, "microseconds": .microseconds, "milliseconds": .milliseconds,
      "seconds": .seconds,
    ]
    // PerfKit's exports contain CPU time; the format does not distinguish it from wall time.
    let time = isOwn ? Profile.Measure.cpuTime.name : "time"
    if let known = times[unit] {
      return (Profile.Measure(name: time, dimension: .time, hasSamples: false), known.factor)
    }
    switch unit {
    case "bytes": return (Profile.Measure(name: "memory", dimension: .size, hasSamples: false), 1)
    case "none": return (Profile.Measure(name: "units", dimension: .count, hasSamples: false), 1)
    default:
      throw .malformed(.speedscope, reason: "a profile has the unknown unit '\(unit.prefix(40))'")
    }
  }

  private mutating func add(_ view: Document.View, factor: Double) throws(ImportError) {
    let thread = tree.thread(view.name ?? "")
    switch view.type {
    case "sampled": try addSamples(of: view, thread: thread, factor: factor)
    case "evented": try addEvents(of: view, thread: thread, factor: factor)
    default:
      throw tree.malformed(
        "a profile has the type '\(view.type.prefix(40))', and this perfkit knows sampled and evented"
      )
    }
  }

  private mutating func addSamples(
    of view: Document.View, thread: Int, factor: Double
  ) throws(ImportError) {
    guard let samples = view.samples, let weights = view.weights, samples.count == weights.count
    else { throw tree.malformed("a sampled profile does not have one weight for each sample") }
    for (stack, weight) in zip(samples, weights) where !stack.isEmpty {
      var node = -1
      for frame in stack {
        node = try child(of: node, frame)
        if tree.isCut(node) { break }
      }
      try tree.add(node, thread: thread, weight: weight * factor)
    }
  }

  private mutating func addEvents(
    of view: Document.View, thread: Int, factor: Double
  ) throws(ImportError) {
    guard let events = view.events else { throw tree.malformed("an evented profile has no events") }
    var open: [(frame: Int, node: Int)] = []
    var last = events.first?.at ?? 0
    for event in events {
      guard event.at >= last else {
        throw tree.malformed("its events are not in the order of time")
      }
      if let (_, node) = open.last, event.at > last {
        try tree.add(node, thread: thread, weight: (event.at - last) * factor)
      }
      last = event.at
      switch event.type {
      case "O": open.append((event.frame, try child(of: open.last?.node ?? -1, event.frame)))
      case "C":
        guard open.popLast()?.frame == event.frame else {
          throw tree.malformed(
            "an event closes frame \(event.frame), which is not the innermost one")
        }
      default: throw tree.malformed("an event has the unknown type '\(event.type.prefix(40))'")
      }
    }
    if let (_, node) = open.last, let end = view.endValue, end > last {
      try tree.add(node, thread: thread, weight: (end - last) * factor)
    }
  }

  private mutating func child(of caller: Int, _ frame: Int) throws(ImportError) -> Int {
    guard frames.indices.contains(frame) else {
      throw tree.malformed("it refers to frame \(frame) of \(frames.count)")
    }
    let (name, file, line) = (frames[frame].name, frames[frame].file, frames[frame].line)
    return try tree.child(
      of: caller, tree.function(name, file: file), line: max(0, line ?? 0))
  }
}
