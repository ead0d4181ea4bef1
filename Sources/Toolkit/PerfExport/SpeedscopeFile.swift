internal import PerfModel

/// A profile in the format of speedscope, with one view per thread and a view of all threads.
///
/// Launches are added up. Stacks are ordered by the call tree, not by time. Source:
/// github.com/jlfwong/speedscope, src/lib/file-format-spec.ts.
struct SpeedscopeFile {
  /// The CPU time of a thread by stack.
  private struct View {
    let name: String
    var weights: [Int: Double] = [:]

    mutating func add(_ count: Profile.Count) {
      weights[count.node, default: 0] += count.weight
    }
  }

  let bytes: [UInt8]

  init(_ run: Run, _ profile: Profile, _ counts: [Profile.Count]) {
    var views = profile.threads.map { View(name: $0.name) }
    var all = View(name: "all threads")
    for count in counts where count.state == .running && count.weight > 0 {
      views[count.thread].add(count)
      all.add(count)
    }
    views = views.filter { !$0.weights.isEmpty }
      .sorted { $0.weights.values.reduce(0, +) > $1.weights.values.reduce(0, +) }
    if views.count != 1 { views.insert(all, at: 0) }

    var json = JSONWriter()
    json.object { json in
      json.member("$schema", "https://www.speedscope.app/file-format-schema.json")
      // The name is the only free text that speedscope shows.
      let warnings = profile.audit.warnings.map { "; warning: \($0.message)" }.joined()
      json.member("name", "\(run.subject), run \(run.id)\(warnings)")
      json.member("exporter", "perfkit")
      json.member("activeProfileIndex", 0)
      json.member("shared") { json in
        json.member("frames", arrayOf: profile.functions) { json, function in
          json.object { json in
            json.member("name", function.name)
            if let file = function.file { json.member("file", file) }
          }
        }
      }
      json.member("profiles", arrayOf: views) { Self.write($1, of: profile, to: &$0) }
    }
    bytes = json.bytes
  }

  private static func unit(of measure: Profile.Measure) -> String {
    switch measure.dimension {
    case .time: "nanoseconds"
    case .size: "bytes"
    default: "none"
    }
  }

  private static func write(_ view: View, of profile: Profile, to json: inout JSONWriter) {
    let stacks = view.weights.sorted { $0.key < $1.key }
    json.object { json in
      json.member("type", "sampled")
      json.member("name", view.name)
      json.member("unit", unit(of: profile.measure))
      json.member("startValue", 0)
      json.member("endValue", stacks.reduce(0) { $0 + $1.value })
      json.member("samples", arrayOf: stacks) { json, stack in
        json.array(of: profile.path(to: stack.key)) { $0.int(profile.nodes[$1].function) }
      }
      json.member("weights", arrayOf: stacks) { $0.number($1.value) }
    }
  }
}
