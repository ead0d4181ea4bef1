internal import PerfModel

/// A profile as trace events, for Perfetto and chrome://tracing.
///
/// Each launch is a process whose time starts at its measured phase. Neither tool shows samples, so
/// a function that consecutive samples of a thread share is drawn as one slice, from the first
/// sample with the function to the first one without it. Source: "Trace Event Format", Google,
/// 2016.
struct ChromeFile {
  private static let tracksOfLaunch = 10_000

  private var json = JSONWriter()

  /// The content of the file.
  var bytes: [UInt8] { json.bytes }

  init(_ run: Run, _ profile: Profile, _ samples: TimedSamples) {
    let interval = profile.audit.interval ?? 1_000_000
    json.object { json in
      json.member("displayTimeUnit", "ms")
      json.member("otherData") { json in
        json.member("run", "\(run.subject), run \(run.id)")
        json.member("command", (["perfkit"] + run.command).joined(separator: " "))
        for (number, warning) in profile.audit.warnings.enumerated() {
          json.member("warning \(number + 1)", "\(warning)")
        }
        json.member("slices", "drawn from samples, one per \(interval / 1000) us")
      }
      json.key("traceEvents")
      json.array { json in
        for (index, threads) in samples.launches {
          let launch = run.launches.first { $0.index == index }
          Self.write(index, launch, threads, of: profile, interval: interval, to: &json)
        }
      }
    }
  }

  private static func write(
    _ index: Int, _ launch: Launch?, _ threads: [TimedSamples.Thread], of profile: Profile,
    interval: UInt64, to json: inout JSONWriter
  ) {
    // Process 0 is the kernel in Perfetto, and track numbers must differ between processes.
    // Overflow is allowed because an imported store may contain any launch number.
    let process = index &+ 1
    let firstTrack = process &* tracksOfLaunch
    var track = firstTrack
    json.metadata("process_name", process, track, "launch \(index)")
    let frames = launch.map(ExportMarker.frames(of:)) ?? []
    if !frames.isEmpty {
      json.metadata("thread_name", process, track, "frames")
      for frame in frames { json.write(frame, process, track) }
    }
    let spans = Dictionary(grouping: launch?.spans ?? [], by: \.serial)
    for thread in threads {
      track &+= 1
      json.metadata("thread_name", process, track, thread.name)
      for slice in SampleSlices(thread.samples, of: profile, interval: interval).slices {
        let name =
          slice.function < 0
          ? SampleSlices.waiting : profile.functions[slice.function].name
        json.slice(name, process, track, from: slice.began, to: slice.ended) { _ in }
      }
      guard let marks = spans[thread.serial] else { continue }
      track &+= 1
      json.metadata("thread_name", process, track, "\(thread.name): phases and signposts")
      for mark in marks { json.write(ExportMarker(mark), process, track) }
    }
    for series in launch?.series ?? [] {
      let unit = Unit.base(of: series.dimension).symbol
      for (time, value) in zip(series.times, series.values) {
        json.object { json in
          json.head("C", series.name, process, firstTrack, time)
          json.member("cat", "series")
          json.member("args") { $0.member(unit.isEmpty ? "value" : unit, value) }
        }
      }
    }
  }
}

extension JSONWriter {
  fileprivate mutating func head(
    _ kind: String, _ name: String, _ process: Int, _ track: Int, _ time: UInt64
  ) {
    member("ph", kind)
    member("name", name)
    member("pid", process)
    member("tid", track)
    key("ts")
    fixed(time, digits: 3)
  }

  fileprivate mutating func metadata(
    _ kind: String, _ process: Int, _ track: Int, _ value: String
  ) {
    object { json in
      json.head("M", kind, process, track, 0)
      json.member("args") { $0.member("name", value) }
    }
  }

  fileprivate mutating func slice(
    _ name: String, _ process: Int, _ track: Int, from began: UInt64, to ended: UInt64,
    _ more: (inout JSONWriter) -> Void
  ) {
    object { json in
      json.head("X", name, process, track, began)
      json.key("dur")
      json.fixed(ended - began, digits: 3)
      more(&json)
    }
  }

  fileprivate mutating func write(_ marker: ExportMarker, _ process: Int, _ track: Int) {
    if marker.kind == .event {
      object { json in
        json.head("i", marker.name, process, track, marker.began)
        json.member("s", "t")
      }
    } else {
      slice(marker.name, process, track, from: marker.began, to: marker.ended) { json in
        json.member("cat", marker.kind.rawValue)
        guard marker.frame != nil else { return }
        json.key("args")
        marker.writeData(to: &json)
      }
    }
  }
}
