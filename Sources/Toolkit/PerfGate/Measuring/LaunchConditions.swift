internal import Foundation
internal import PerfModel
internal import PerfProfile
internal import PerfReport
internal import PerfRunner

extension MeasurementPlan {
  /// The settings of the launches that are not parameters, as one text.
  var launching: String {
    let sampling =
      rate > 0
      ? "\(rate) Hz by \(engine == .perf ? "the kernel" : "signal \(signal.number)"), "
        + "\(stackBytes) bytes of a stack"
      : agent == nil ? "nothing preloaded" : "no samples"
    let pressure = scenario.pressure.map { "\($0.level) at \($0.at) for \($0.hold)" }
    let tasks = taskLibrary == nil ? [] : ["waits of tasks"]
    return
      ([sampling, "allocations \(countsAllocations)", "timeout \(scenario.timeout)"]
      + scenario.workerArguments + injectors + pressure + tasks + scenario.command.summary).joined(
        separator: ", ")
  }

  /// The identities of the small files that the words of a command name, by word; empty for a worker.
  ///
  /// The program of a script is its interpreter, which reads the script and other files.
  var commandFiles: [String: String] {
    guard case .command(let words) = scenario.worker else { return [:] }
    let directory = surroundings.directory ?? "."
    var files: [String: String] = [:]
    for word in words.dropFirst() {
      let path = word.hasPrefix("/") ? word : "\(directory)/\(word)"
      // A script is small; data that takes long to read is not compared.
      let facts = try? FileManager.default.attributesOfItem(atPath: path)
      guard facts?[.type] as? FileAttributeType == .typeRegular,
        (facts?[.size] as? NSNumber)?.intValue ?? .max < 1 << 22
      else { continue }
      files[word] = ProgramImage.fingerprint(ofFile: path)
    }
    return files
  }

  /// The facts by which a later session of a run recognises its launches.
  var sessionFacts: Environment {
    var facts = Environment(facts: [:])
    facts[.launching] = "\(warmup) + \(iterations) launches, \(launching)"
    let libraries = [agent, taskLibrary].compactMap(\.self).compactMap {
      ProgramImage.fingerprint(ofFile: $0)
    }
    facts[.agentIdentity] = libraries.isEmpty ? nil : libraries.joined(separator: " ")
    let files = commandFiles.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    facts[.commandFiles] = files.isEmpty ? nil : files.joined(separator: ", ")
    if case .command(let words) = scenario.worker {
      facts[.arguments] = Wording.command(Array(words.dropFirst()))
    }
    return facts
  }
}
