internal import PerfModel
internal import SwiftProtobuf

/// A profile in pprof's format: CPU time and samples by stack, with labels to filter by.
///
/// Inlined functions share the location of the function that contains them. There are no addresses,
/// because a node of the call tree is a function and line, which several addresses share.
struct PprofFile {
  private var message = PprofProfile()
  private var texts = StringTable()
  private var mappings: [String: UInt64] = [:]
  private var locations: [Location: UInt64] = [:]
  /// The values of each sample.
  private let values: [Value]
  /// The location whose innermost function is a node, and the node that called it.
  private var places: [Int: (location: UInt64, parent: Int)] = [:]

  /// A value of each sample.
  private enum Value {
    case samples
    case running
    case waiting
  }

  private struct Location: Hashable {
    let mapping: UInt64
    /// Pairs of function and line, innermost first.
    let lines: [[Int]]
  }

  init(_ run: Run, _ profile: Profile, _ counts: [Profile.Count]) {
    // The format requires that the first text is empty.
    let _: Int64 = texts.index(of: "")
    let measure = profile.measure
    // The weights of a profile that only counts samples are these counts.
    let isCount = measure == .samples
    let isWaiting = counts.contains { $0.state == .waiting }
    values =
      (measure.hasSamples ? [.samples] : []) + (isCount ? [] : [.running])
      + (isWaiting ? [.waiting] : [])
    let shown = measure.name == Profile.Measure.cpuTime.name ? "cpu" : measure.name
    let unit = Self.unit(of: measure.dimension)
    message.sampleType = values.map { value in
      switch value {
      case .samples: valueType("samples", "count")
      case .running: valueType(shown, unit)
      case .waiting: valueType("waiting", "nanoseconds")
      }
    }
    message.defaultSampleType = texts.index(of: shown)
    message.periodType = valueType(shown, unit)
    message.period = Int64(profile.audit.interval ?? 0)
    message.timeNanos = run.started.milliseconds &* 1_000_000
    message.durationNanos = Int64(nearest: profile.audit.seconds * 1e9)
    message.comment = comments(of: run, profile).map { texts.index(of: $0) }
    addMappings(of: profile)
    addFunctions(of: profile)
    for count in counts {
      message.sample.append(sample(count, of: profile))
    }
    message.stringTable = texts.all
  }

  /// Returns the gzip file.
  func bytes() throws(ExportError) -> [UInt8] {
    do {
      let content: [UInt8] = try message.serializedBytes()
      return Gzip.store(content)
    } catch {
      throw .encoding(format: .pprof, reason: "\(error)")
    }
  }

  private static func unit(of dimension: Dimension) -> String {
    switch dimension {
    case .time: "nanoseconds"
    case .size: "bytes"
    default: "count"
    }
  }

  private mutating func valueType(_ type: String, _ unit: String) -> PprofValueType {
    .with {
      $0.type = texts.index(of: type)
      $0.unit = texts.index(of: unit)
    }
  }

  private func comments(of run: Run, _ profile: Profile) -> [String] {
    ["\(run.subject), run \(run.id)", (["perfkit"] + run.command).joined(separator: " ")]
      + profile.audit.warnings.map(\.message)
  }

  // MARK: - Tables

  /// Adds the program first, because pprof names the profile after the first mapping.
  private mutating func addMappings(of profile: Profile) {
    let withFiles = Set(profile.functions.filter { $0.file != nil }.map(\.module))
    for module in profile.exportedModules {
      let id = UInt64(message.mapping.count + 1)
      mappings[module.name] = id
      let hasFiles = withFiles.contains(module.name)
      message.mapping.append(
        .with {
          $0.id = id
          $0.filename = texts.index(of: module.path)
          $0.buildID = texts.index(of: module.buildID)
          $0.hasFunctions_p = true
          $0.hasFilenames_p = hasFiles
          $0.hasLineNumbers_p = hasFiles
          $0.hasInlineFrames_p = hasFiles
        })
    }
  }

  private mutating func addFunctions(of profile: Profile) {
    message.function = profile.functions.enumerated().map { index, function in
      .with {
        $0.id = UInt64(index + 1)
        $0.name = texts.index(of: function.name)
        $0.systemName = texts.index(of: function.name)
        $0.filename = texts.index(of: function.file ?? "")
      }
    }
  }

  /// Returns the location whose innermost function is a node, and the node that called it.
  private mutating func place(of node: Int, in profile: Profile) -> (UInt64, parent: Int) {
    if let known = places[node] { return known }
    var lines: [[Int]] = []
    var base = node
    while true {
      lines.append([profile.nodes[base].function, profile.nodes[base].line])
      guard profile.nodes[base].isInlined, profile.nodes[base].parent >= 0 else { break }
      base = profile.nodes[base].parent
    }
    let module = profile.functions[profile.nodes[base].function].module
    let key = Location(mapping: mappings[module] ?? 0, lines: lines)
    let place = (id(of: key), parent: profile.nodes[base].parent)
    places[node] = place
    return place
  }

  private mutating func id(of key: Location) -> UInt64 {
    if let known = locations[key] { return known }
    let id = UInt64(message.location.count + 1)
    locations[key] = id
    message.location.append(
      .with {
        $0.id = id
        $0.mappingID = key.mapping
        $0.line = key.lines.map { entry in
          .with {
            $0.functionID = UInt64(entry[0] + 1)
            $0.line = Int64(entry[1])
          }
        }
      })
    return id
  }

  // MARK: - Samples

  private mutating func sample(_ count: Profile.Count, of profile: Profile) -> PprofSample {
    var sample = PprofSample()
    var node = count.node
    while node >= 0 {
      let (location, parent) = place(of: node, in: profile)
      sample.locationID.append(location)
      node = parent
    }
    let weight = Int64(nearest: count.weight)
    sample.value = values.map { value in
      switch value {
      case .samples: Int64(count.samples)
      case .running: count.state == .running ? weight : 0
      case .waiting: count.state == .waiting ? weight : 0
      }
    }
    sample.label = [label("thread", profile.threads[count.thread].name)]
    if count.phase != 0 { sample.label.append(label("phase", profile.phases[count.phase])) }
    if count.signpost != 0 {
      sample.label.append(label("signpost", profile.signposts[count.signpost]))
    }
    if count.frameClass != .none {
      sample.label.append(label("frame", count.frameClass == .missed ? "missed" : "on time"))
    }
    sample.label.append(label("state", "\(count.state)"))
    sample.label.append(
      .with {
        $0.key = texts.index(of: "launch")
        $0.num = Int64(count.launch)
      })
    return sample
  }

  private mutating func label(_ key: String, _ value: String) -> PprofLabel {
    .with {
      $0.key = texts.index(of: key)
      $0.str = texts.index(of: value)
    }
  }
}
