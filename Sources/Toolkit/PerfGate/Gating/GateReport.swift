public import PerfModel
public import PerfReport
internal import PerfScenario
internal import PerfStatistics

/// The report of a gate: all results as a document, as JSON and for CI systems.
public struct GateReport {
  var results: [GateResult]
  /// The exit status of the gate.
  public var status: ExitStatus
  /// The folder of the scenario files, from the root of the repository; nil if results have no such files.
  let scenarios: String?
  /// The project file, from the root of the repository: findings about the whole gate, and about results
  /// without a scenario file, are shown there.
  var projectFile = ProjectFile.name
  /// Information about the whole gate; nil for none.
  var note: String?
  /// The part of a gate that the results are of; nil for a whole gate.
  var part: GatePart?

  /// The ids of the measured runs and comparisons.
  public var measured: [String] {
    results.flatMap { [$0.summary?.run.id, $0.comparison?.whole.id] }.compactMap(\.self)
  }

  /// Returns the report of a gate that could not be judged.
  public static func failed(_ failure: Failure) -> GateReport {
    GateReport(
      results: [.failed("gate", failure, isOfScenario: false)], status: failure.status,
      scenarios: ProjectFile().scenarios)
  }

  /// Returns the report without the secrets of messages.
  public func redacted(by redaction: Redaction) -> GateReport {
    var report = self
    for index in results.indices { report.results[index].note = redaction(results[index].note) }
    return report
  }

  /// The known noise of the machine; nil if nothing was measured.
  var noise: NoiseStatus? { results.compactMap { $0.summary?.noise }.first }

  /// The report as a document: the verdict, the results, then the details of each result.
  var document: Document { document(as: shown) }

  private func document(as digest: GateDigest) -> Document {
    var blocks: [Document.Block] = [.verdict(digest.sentence, status.tone)]
    if let note = digest.note { blocks.append(.paragraph(note)) }
    blocks.append(.table(digest.table))
    if let noise { blocks.append(.facts([.init("noise", noise.summary)])) }
    for result in results {
      if let summary = result.summary {
        blocks += summary.document.document.blocks.filter { block in
          if case .table(let table) = block { return ["budgets", "failures"].contains(table.id) }
          return false
        }
        // A comparison of pairs already contains the samplers' warnings of both sides.
        let shown = Set(result.comparison?.whole.warnings.map(\.code) ?? [])
        let samplers = summary.document.warnings.filter {
          $0.code.hasPrefix("sampler.") && !shown.contains($0.code)
        }
        if !samplers.isEmpty { blocks.append(.warnings(samplers)) }
      }
      if let comparison = result.comparison {
        blocks += self.blocks(of: comparison)
      }
    }
    return Document(title: "gate", blocks: blocks)
  }

  /// Returns the sections of a comparison except its facts, with the sentences of the gate as verdict.
  private func blocks(of comparison: GateComparison) -> [Document.Block] {
    comparison.document(noise: noise).document.blocks.compactMap {
      block -> Document.Block? in
      switch block {
      case .facts: nil
      case .verdict where comparison.acceptance != nil:
        .verdict(
          comparison.sentences.joined(separator: " "),
          ExitStatus(comparison.rest.combined).tone)
      case .verdict, .table, .paragraph, .warnings: block
      }
    }
  }

  /// Returns the report as a document, at most as long as requested.
  public func document(_ detail: Detail) -> Document { document(detail, as: shown) }

  /// Returns the document with texts that are made already: `shown` contains the JSON of all runs.
  public func document(_ detail: Detail, as digest: GateDigest) -> Document {
    let whole = document(as: digest)
    return detail == .all ? whole : digest.document(isBrief: detail == .brief, whole.warnings)
  }

  /// The results as texts, with the part of the gate that they are of.
  public var shown: GateDigest {
    var digest = digest
    let notes = [part?.sentence, note].compactMap(\.self)
    digest.note = notes.isEmpty ? nil : notes.joined(separator: " ")
    return digest
  }

  var sentence: String { GateDigest.sentence(lines, status) }
}
