internal import PerfModel

/// A profile in the processed format of the Firefox Profiler, version 70.
///
/// Each launch is a process; zero is the begin of its measured phase, so that launches lie one above
/// the other. Samples weigh CPU time; those of waiting threads weigh the time that they waited, and
/// end in a frame that says so. Source: github.com/firefox-devtools/profiler, src/types/profile.ts and
/// docs-developer/CHANGELOG-formats.md.
struct FirefoxFile {
  let bytes: [UInt8]

  init(_ run: Run, _ profile: Profile, _ samples: TimedSamples) {
    let tables = FirefoxTables(profile)
    let threads = FirefoxThread.threads(of: run, samples)
    var strings = tables.strings
    var json = JSONWriter()
    json.object { json in
      json.member("meta") { Self.writeMeta(of: run, profile, &$0) }
      json.member("libs", arrayOf: tables.modules) { Self.write($1, to: &$0) }
      json.member("threads", arrayOf: threads) { json, thread in
        thread.write(to: &json, tables, &strings)
      }
      // The threads' markers bring strings of their own, so the tables come last.
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
    // The format of a browser's own files, which this one never was.
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
        json.member("name", category.name)
        json.member("color", category.color)
        json.member("subcategories", arrayOf: ["Other"]) { $0.string($1) }
      }
    }
    json.member("markerSchema", arrayOf: ExportMarker.Kind.allCases) { $1.writeSchema(to: &$0) }
    json.member("extra", arrayOf: [profile.audit]) { json, audit in
      json.object { json in
        json.member("label", "How well it was sampled")
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
    [
      ("Ticks a second", "\(audit.rateReached.rounded()) of \(audit.rateAsked.rounded())"),
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

  /// The first 16 bytes of a build id as a GUID, whose first three numbers are little-endian, and an
  /// age of zero.
  static func breakpadID(of buildID: String) -> String {
    guard !buildID.isEmpty else { return "" }
    let digits = Array(buildID.uppercased())
    let padded = digits + Array(repeating: "0", count: max(0, 32 - digits.count))
    let order = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15]
    return order.map { String(padded[($0 * 2)...($0 * 2 + 1)]) }.joined() + "0"
  }
}
