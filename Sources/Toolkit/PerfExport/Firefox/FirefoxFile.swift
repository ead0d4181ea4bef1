internal import PerfModel

/// A profile in the processed format of the Firefox Profiler, version 70.
///
/// Each launch is a process whose time starts at its measured phase, so that launches are aligned.
/// A sample's weight is CPU time. For a waiting thread it is the waiting time, and the stack ends
/// in the frame `[waiting]`. Source: github.com/firefox-devtools/profiler, src/types/profile.ts and
/// docs-developer/CHANGELOG-formats.md.
struct FirefoxFile {
  let bytes: [UInt8]

  init(_ run: Run, _ profile: Profile, _ samples: TimedSamples) {
    let tables = FirefoxTables(profile)
    let threads = FirefoxThread.threads(of: run, profile.measure, samples)
    var strings = tables.strings
    var json = JSONWriter()
    json.object { json in
      json.member("meta") { Self.writeMeta(of: run, profile, &$0) }
      json.member("libs", arrayOf: tables.modules) { Self.write($1, to: &$0) }
      json.member("threads", arrayOf: threads) { json, thread in
        thread.write(to: &json, tables, &strings)
      }
      // The threads' markers add strings, so the shared tables come last.
      json.member("shared") { tables.write(to: &$0, strings) }
    }
    bytes = json.bytes
  }

  private static func writeMeta(
    of run: Run, _ profile: Profile, _ json: inout JSONWriter
  ) {
    json.member("interval", Double(profile.audit.interval ?? 1_000_000) / 1e6)
    json.member("startTime", Int(run.started.milliseconds))
    json.member("processType", 0)
    json.member("product", "\(run.subject), run \(run.id)")
    json.member("importedFrom", "perfkit")
    json.member("arguments", (["perfkit"] + run.command).joined(separator: " "))
    json.member("stackwalk", 1)
    json.member("debug", run.environment[.configuration] == "debug")
    // The version of the unprocessed format, which a processed file still must name.
    json.member("version", 36)
    json.member("preprocessedProfileVersion", 70)
    json.member("symbolicated", true)
    json.member("usesOnlyOneStackType", true)
    json.member("sourceCodeIsNotOnSearchfox", true)
    json.member("platform", "Linux")
    if let system = run.environment[.system] { json.member("oscpu", system) }
    if let model = run.environment[.cpuModel] { json.member("CPUName", model) }
    let count = run.environment[.cpuOnline] ?? run.environment[.cpuCount]
    if let count = count.flatMap(Int.init) {
      json.member("logicalCPUs", count)
    }
    json.member("sampleUnits") { json in
      json.member("time", "ms")
      json.member("eventDelay", "ms")
      json.member("threadCPUDelta", "ns")
    }
    json.member("categories", arrayOf: FirefoxTables.Category.allCases) { json, category in
      json.object { json in
        json.member("name", category.look.name)
        json.member("color", category.look.color)
        json.member("subcategories", arrayOf: ["Other"]) { $0.string($1) }
      }
    }
    json.member("markerSchema", arrayOf: ExportMarker.Kind.allCases) { $1.writeSchema(to: &$0) }
    json.member("extra", arrayOf: [profile.audit]) { json, audit in
      json.object { json in
        json.member("label", "Sampling quality")
        json.member("entries", arrayOf: entries(of: audit)) { json, entry in
          json.object { json in
            json.member("label", entry.label)
            json.member("format", "string")
            json.member("value", entry.value)
          }
        }
      }
    }
  }

  private static func entries(of audit: ProfileAudit) -> [(label: String, value: String)] {
    // Nothing is known about the sampling of an imported profile.
    guard audit.measure == nil else { return audit.warnings.map { ("Warning", $0.description) } }
    return [
      ("Ticks per second", "\(audit.rateReached.rounded()) of \(audit.rateAsked.rounded())"),
      ("Samples", "\(audit.samples), \(audit.dropped) dropped"),
      (
        "Stacks",
        "\(audit.complete) complete, \(audit.truncated) truncated, \(audit.failed) failed"
      ),
    ] + audit.warnings.map { ("Warning", $0.description) }
  }

  private static func write(_ module: Profile.Module, to json: inout JSONWriter) {
    json.object { json in
      json.member("arch", "")
      json.member("name", module.name)
      json.member("path", module.path)
      json.member("debugName", module.name)
      json.member("debugPath", module.path)
      json.member("breakpadId", breakpadID(of: module.buildID))
      json.key("codeId")
      if module.buildID.isEmpty { json.null() } else { json.string(module.buildID) }
    }
  }

  /// Returns the first 16 bytes of a build ID as a GUID, followed by an age of zero.
  ///
  /// The first three numbers of a GUID are little-endian.
  static func breakpadID(of buildID: String) -> String {
    guard !buildID.isEmpty else { return "" }
    let digits = Array(buildID.uppercased())
    let padded = digits + Array(repeating: "0", count: max(0, 32 - digits.count))
    let order = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15]
    return order.map { String(padded[($0 * 2)...($0 * 2 + 1)]) }.joined() + "0"
  }
}
