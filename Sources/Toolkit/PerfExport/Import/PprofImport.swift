internal import PerfModel
internal import SwiftProtobuf

/// A profile in pprof's format, github.com/google/pprof, proto/profile.proto.
///
/// Each sample has several values, of which one counts: CPU time if there is any, else the default of the
/// file, else the last.
struct PprofImport {
  private(set) var tree = ImportedTree(.pprof)
  private let message: PprofProfile
  /// The functions of the tree by id, with their names.
  private var functions: [UInt64: PprofFunction] = [:]
  private var modules: [UInt64: String] = [:]
  private var locations: [UInt64: PprofLocation] = [:]

  private struct ValueType {
    let place: Int
    let name: String
    let unit: Unit?

    var dimension: Dimension { unit?.dimension ?? .count }
    var factor: Double { unit?.factor ?? 1 }
  }

  init(_ content: [UInt8]) throws(ImportError) {
    do {
      message = try PprofProfile(serializedBytes: content)
    } catch {
      throw tree.malformed("its protocol buffer is damaged")
    }
    var types: [ValueType] = []
    for (place, type) in message.sampleType.enumerated() {
      let unit = try text(type.unit)
      types.append(ValueType(place: place, name: try text(type.type), unit: Self.unit(unit)))
    }
    guard !types.isEmpty else { throw tree.malformed("it names no values of its samples") }
    try readTables()
    let shown = try shown(of: types)
    let (kind, unit) = (try text(message.periodType.type), try text(message.periodType.unit))
    let period = Double(message.period) * (Self.unit(unit)?.factor ?? 1)
    let isPeriodic = period > 0 && kind == shown.name
    let numbers = types.first { ["samples", "sample"].contains($0.name) && $0.dimension == .count }
    if isPeriodic, shown.dimension == .time { tree.interval = period }
    tree.measure = Profile.Measure(
      name: shown.name == "cpu" ? Profile.Measure.cpuTime.name : shown.name,
      dimension: shown.dimension, hasSamples: numbers != nil || isPeriodic)
    tree.seconds = max(0, Double(message.durationNanos) / 1e9)
    let waits = types.first {
      $0.name == "waiting" && $0.dimension == .time && $0.place != shown.place
    }
    for sample in message.sample {
      guard sample.value.count == types.count else {
        throw tree.malformed("a sample has \(sample.value.count) values instead of \(types.count)")
      }
      let weight = try value(shown, of: sample)
      let wait = try waits.map { type throws(ImportError) in try value(type, of: sample) } ?? 0
      guard weight > 0 || wait > 0 else { continue }
      let counted = numbers.map { Int(clamping: sample.value[$0.place]) }
      let samples = counted ?? (isPeriodic ? max(1, Int(nearest: weight / period)) : 1)
      let node = try node(of: sample)
      let thread = tree.thread(try thread(of: sample))
      if weight > 0 { try tree.add(node, thread: thread, samples: samples, weight: weight) }
      if wait > 0 {
        try tree.add(node, thread: thread, state: .waiting, samples: samples, weight: wait)
      }
    }
  }

  private func value(_ type: ValueType, of sample: PprofSample) throws(ImportError) -> Double {
    let value = sample.value[type.place]
    guard value >= 0 else {
      throw tree.malformed(
        "a sample has the negative value \(value), as differences of two profiles have. Import both "
          + "profiles and compare them by flamegraph --against")
    }
    return Double(value) * type.factor
  }

  private func shown(of types: [ValueType]) throws(ImportError) -> ValueType {
    let name = try text(message.defaultSampleType)
    return types.first { $0.name == "cpu" && $0.dimension == .time }
      ?? types.last { $0.name == name && !name.isEmpty } ?? types[types.count - 1]
  }

  /// Returns the unit of a name in pprof; nil for a count.
  private static func unit(_ name: String) -> Unit? {
    let symbols = [
      "nanoseconds": "ns", "nanosecond": "ns", "microseconds": "us", "milliseconds": "ms",
      "seconds": "s", "bytes": "B", "byte": "B", "kilobytes": "KiB", "megabytes": "MiB",
    ]
    let unit = Unit.named(symbols[name] ?? name)
    return unit.flatMap { [.time, .size].contains($0.dimension) ? $0 : nil }
  }

  private func text(_ index: Int64) throws(ImportError) -> String {
    if index == 0 { return "" }
    guard let place = Int(exactly: index), message.stringTable.indices.contains(place) else {
      throw tree.malformed("it refers to the text \(index) of \(message.stringTable.count)")
    }
    return message.stringTable[place]
  }

  // MARK: - Stacks

  private mutating func readTables() throws(ImportError) {
    for mapping in message.mapping {
      let path = try text(mapping.filename)
      let name = String(path.split(separator: "/").last ?? "")
      let isKernel = name.hasPrefix("[kernel")
      modules[mapping.id] = isKernel ? Profile.kernelModule : name
      guard !isKernel, !name.isEmpty else { continue }
      tree.modules.append(
        Profile.Module(name: name, path: path, buildID: try text(mapping.buildID)))
    }
    for function in message.function { functions[function.id] = function }
    for location in message.location { locations[location.id] = location }
  }

  private func thread(of sample: PprofSample) throws(ImportError) -> String {
    for label in sample.label where label.str != 0 {
      if try text(label.key) == "thread" { return try text(label.str) }
    }
    return "all threads"
  }

  /// Returns the node of a sample, whose locations are innermost first, as are their inlined functions.
  private mutating func node(of sample: PprofSample) throws(ImportError) -> Int {
    var node = -1
    for id in sample.locationID.reversed() {
      guard let location = locations[id] else {
        throw tree.malformed("a sample has the unknown location \(id)")
      }
      let module = modules[location.mappingID] ?? ""
      if location.line.isEmpty {
        node = try tree.child(of: node, tree.function("", module: module))
      }
      for (depth, line) in location.line.reversed().enumerated() {
        guard let function = functions[line.functionID] else {
          throw tree.malformed("location \(id) has the unknown function \(line.functionID)")
        }
        let name = try text(function.name != 0 ? function.name : function.systemName)
        let file = try text(function.filename)
        node = try tree.child(
          of: node, tree.function(name, module: module, file: file.isEmpty ? nil : file),
          line: max(0, Int(clamping: line.line)), isInlined: depth > 0)
        if tree.isCut(node) { return node }
      }
    }
    return node >= 0 ? node : try tree.child(of: -1, tree.function(""))
  }
}
