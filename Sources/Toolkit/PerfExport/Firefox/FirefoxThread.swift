internal import PerfModel

/// A thread of a Firefox profile: the samples of a thread, or the frames of a launch.
struct FirefoxThread {
  let launch: Int
  let name: String
  let number: Int
  let samples: [TimedSamples.Sample]
  /// What the weights of the samples measure.
  let measure: Profile.Measure
  var markers: [ExportMarker] = []

  private var weightType: String {
    switch measure.dimension {
    case .time: "tracing-ms"
    case .size: "bytes"
    default: "samples"
    }
  }

  /// Returns the threads of a run; a launch with frames starts with an additional thread for them.
  static func threads(
    of run: Run, _ measure: Profile.Measure, _ timed: TimedSamples
  ) -> [FirefoxThread] {
    var threads: [FirefoxThread] = []
    for (index, sampled) in timed.launches {
      let launch = run.launches.first { $0.index == index }
      let frames = launch.map(ExportMarker.frames(of:)) ?? []
      if !frames.isEmpty {
        // The thread that made the frames is unknown. An additional thread shows them above all
        // others.
        threads.append(
          FirefoxThread(
            launch: index, name: "frames", number: 0, samples: [], measure: measure,
            markers: frames))
      }
      let spans = Dictionary(grouping: launch?.spans ?? [], by: \.serial)
      for thread in sampled {
        threads.append(
          FirefoxThread(
            launch: index, name: thread.name, number: thread.serial, samples: thread.samples,
            measure: measure, markers: (spans[thread.serial] ?? []).map(ExportMarker.init)))
      }
    }
    return threads
  }

  func write(
    to json: inout JSONWriter, _ tables: FirefoxTables, _ strings: inout StringTable
  ) {
    let names: [Int] = markers.map { strings.index(of: $0.name) }
    json.object { json in
      json.member("name", name)
      json.member("isMainThread", number == 1)
      json.member("processType", "default")
      json.member("processName", "launch \(launch)")
      json.member("pid", "\(launch)")
      json.member("tid", "\(launch).\(number)")
      json.member("processStartupTime", 0)
      json.key("processShutdownTime")
      json.null()
      json.member("registerTime", 0)
      json.key("unregisterTime")
      json.null()
      json.column("pausedRanges", [])
      json.member("showMarkersInTimeline", !markers.isEmpty)
      json.member("samples") { writeSamples(to: &$0, tables) }
      json.member("markers") { writeMarkers(to: &$0, names) }
    }
  }

  private func writeSamples(to json: inout JSONWriter, _ tables: FirefoxTables) {
    json.column("stack", samples.map(tables.stack(of:)))
    json.member("time", arrayOf: samples) { $0.fixed($1.time, digits: 6) }
    json.member("weight", arrayOf: samples) { json, sample in
      json.fixed(UInt64(nearest: sample.weight), digits: measure.dimension == .time ? 6 : 0)
    }
    json.member("weightType", weightType)
    if !samples.isEmpty {
      json.column("threadCPUDelta", samples.map { $0.cpu.map { Int(clamping: $0) } })
    }
    json.member("length", samples.count)
  }

  private func writeMarkers(to json: inout JSONWriter, _ names: [Int]) {
    json.member("data", arrayOf: markers) { $1.writeData(to: &$0) }
    json.column("name", names)
    json.member("startTime", arrayOf: markers) { $0.fixed($1.began, digits: 6) }
    json.member("endTime", arrayOf: markers) { json, marker in
      if marker.kind == .event { json.null() } else { json.fixed(marker.ended, digits: 6) }
    }
    // 0 is an instant, 1 an interval.
    json.column("phase", markers.map { $0.kind == .event ? 0 : 1 })
    json.column("category", Array(repeating: 0, count: markers.count))
    json.member("length", markers.count)
  }
}
