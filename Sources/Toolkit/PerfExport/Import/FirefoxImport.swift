internal import PerfModel

/// A profile in the processed format of the Firefox Profiler.
///
/// The weight of a sample is its number of intervals, or milliseconds or bytes, as the thread states.
struct FirefoxImport {
  private(set) var tree = ImportedTree(.firefox)
  private let document: FirefoxDocument
  private let isOfPerfKit: Bool
  /// Nanoseconds of a sample; nil if the file has no interval.
  private let interval: Double?

  init(_ content: [UInt8]) throws(ImportError) {
    document = try Self.decode(content)
    isOfPerfKit = document.meta.importedFrom == "perfkit"
    interval = document.meta.interval.flatMap { $0 > 0 && $0 <= 1e6 ? $0 * 1e6 : nil }
    tree.interval = interval
    if let version = document.meta.preprocessedProfileVersion,
      version > FirefoxDocument.newestVersion
    {
      tree.warnings.append(
        RunWarning(
          code: "import.version",
          message: "the imported file has version \(version) of the format, and this perfkit knows "
            + "versions up to \(FirefoxDocument.newestVersion)",
          remedy: "Check some of its figures in the Firefox Profiler."))
    }
    let sampled = document.threads.filter { !$0.samples.stack.isEmpty }
    guard let kind = sampled.first.map({ $0.samples.weightType ?? "samples" }) else {
      throw .noSamples(.firefox)
    }
    tree.measure = try measure(of: kind)
    let counting = sampled.filter { ($0.samples.weightType ?? "samples") == kind }
    try add(counting)
    if counting.count < sampled.count {
      tree.warnings.append(
        RunWarning(
          code: "import.units",
          message:
            "\(sampled.count - counting.count) of \(sampled.count) threads in the imported file "
            + "are left out: their weights are no \(kind)"))
    }
  }

  private static func decode(_ content: [UInt8]) throws(ImportError) -> FirefoxDocument {
    struct Version: Decodable {
      struct Meta: Decodable {
        let preprocessedProfileVersion: Int?
      }
      let meta: Meta
    }
    let version = try ImportFormat.firefox.decode(Version.self, from: content).meta
      .preprocessedProfileVersion
    guard let version else {
      throw .malformed(
        .firefox,
        reason: "it has no preprocessedProfileVersion, as recordings of Firefox itself. Open it at "
          + "profiler.firefox.com and save it there")
    }
    do {
      return try ImportFormat.firefox.decode(FirefoxDocument.self, from: content)
    } catch {
      guard case .malformed(let format, let reason) = error,
        version > FirefoxDocument.newestVersion
      else { throw error }
      throw .malformed(
        format,
        reason: "\(reason). Its version is \(version), and this perfkit knows versions up to "
          + "\(FirefoxDocument.newestVersion)")
    }
  }

  private func measure(of kind: String) throws(ImportError) -> Profile.Measure {
    switch kind {
    case "tracing-ms":
      Profile.Measure(
        name: isOfPerfKit ? Profile.Measure.cpuTime.name : "time", dimension: .time)
    case "bytes": Profile.Measure(name: "memory", dimension: .size)
    case "samples": interval == nil ? .samples : Profile.Measure(name: "time", dimension: .time)
    default: throw tree.malformed("a thread has the unknown weightType '\(kind.prefix(40))'")
    }
  }

  private mutating func add(_ threads: [FirefoxDocument.Thread]) throws(ImportError) {
    var begin = Double.infinity
    var end = -Double.infinity
    for thread in threads {
      for time in Self.times(of: thread.samples) {
        begin = min(begin, time)
        end = max(end, time)
      }
    }
    if end > begin { tree.seconds = (end - begin) / 1e3 }
    let own = threads.map { $0.tables.stackTable != nil }
    // Shared tables are read once, for the samples of all threads.
    let sharing = zip(threads, own).filter { !$0.1 }.map(\.0)
    let shared = sharing.isEmpty ? [] : try places(of: sharing, sharing[0].tables)
    for (number, thread) in threads.enumerated() {
      let places = own[number] ? try places(of: [thread], thread.tables) : shared
      try add(thread, serial: number + 1, places, begin: begin)
    }
  }

  private mutating func places(
    of threads: [FirefoxDocument.Thread], _ tables: FirefoxDocument.Tables
  ) throws(ImportError) -> [FirefoxStacks.Place?] {
    let stacks = try FirefoxStacks(tables, document.shared, isOfPerfKit: isOfPerfKit)
    return try stacks.places(of: threads.lazy.flatMap(\.samples.stack), in: &tree)
  }

  /// Returns the times of samples in milliseconds; none if the file has no time for each sample.
  private static func times(of samples: FirefoxDocument.Samples) -> [Double] {
    var times = samples.time ?? []
    if samples.time == nil, let deltas = samples.timeDeltas {
      var time = 0.0
      times = deltas.map { delta in
        time += delta
        return time
      }
    }
    return times.count == samples.stack.count ? times : []
  }

  private mutating func add(
    _ thread: FirefoxDocument.Thread, serial: Int, _ places: [FirefoxStacks.Place?], begin: Double
  ) throws(ImportError) {
    let samples = thread.samples
    let number = tree.thread(thread.name ?? "")
    let times = Self.times(of: samples)
    if let weights = samples.weight, weights.count != samples.stack.count {
      throw tree.malformed("a thread does not have one weight for each sample")
    }
    let unit =
      switch samples.weightType ?? "samples" {
      case "samples": interval ?? 1
      case "tracing-ms": 1e6
      default: 1.0
      }
    for (index, stack) in samples.stack.enumerated() {
      // A sample without a stack was taken when the thread ran no code.
      guard let stack, let place = places[stack] else { continue }
      let weight = samples.weight?[index] ?? 1
      guard weight != 0 else { continue }
      let isCounted = samples.weightType ?? "samples" == "samples"
      try tree.add(
        place.node, thread: number, state: place.state,
        samples: isCounted ? Int(nearest: max(1, weight)) : 1, weight: weight * unit)
      guard !times.isEmpty else { continue }
      tree.addMoment(
        at: UInt64(nearest: (times[index] - begin) * 1e6), place.node, thread: number,
        serial: serial, state: place.state)
    }
  }
}
