internal import Foundation
internal import PerfModel
public import PerfReport
internal import PerfScenario

/// A gate that is joined from the files of its shards.
public struct GateCollection {
  /// The results of all shards; their status and texts are those of one gate.
  public var digest: GateDigest
  /// Whether a shard is missing or was stopped, so that the gate must not pass.
  public let isIncomplete: Bool

  private struct Read {
    let file: GateShardFile
    let path: String
  }

  /// Reads and joins the shards of a folder and of the folders in it.
  ///
  /// - Parameters:
  ///   - folder: The absolute path of the folder.
  ///   - show: Returns a path for messages.
  /// - Throws: `Failure` if a file cannot be read or was changed, for two files of a shard, and for shards
  ///   of different gates.
  public init(ofFolder folder: String, show: (String) -> String) throws {
    let paths = try Self.paths(in: folder, show)
    guard !paths.isEmpty else {
      throw Failure(
        "there is no result of a shard in '\(show(folder))'. Pass the folder with the files "
          + "gate-shard-*-of-*.json, which 'perfkit gate --shard' writes beside verdict.json.")
    }
    let read = try paths.map { path in
      guard let data = FileManager.default.contents(atPath: path) else {
        throw Failure("cannot read '\(show(path))'. Make it readable, or measure the shard again.")
      }
      return Read(file: try GateShardFile([UInt8](data), path: show(path)), path: show(path))
    }
    try self.init(read.sorted { $0.file.shard.number < $1.file.shard.number })
  }

  /// Joins the shards of another storage.
  ///
  /// - Parameter shards: The contents of the shards' files with names for messages, at least one.
  /// - Throws: The errors of `init(ofFolder:show:)`.
  public init(_ shards: [(name: String, content: [UInt8])]) throws {
    let read = try shards.map { shard in
      Read(file: try GateShardFile(shard.content, path: shard.name), path: shard.name)
    }
    try self.init(read.sorted { $0.file.shard.number < $1.file.shard.number })
  }

  /// Returns the paths of the shards' files, in order.
  private static func paths(in folder: String, _ show: (String) -> String) throws -> [String] {
    let files = FileManager.default
    do {
      return try files.contentsOfDirectory(atPath: folder).sorted().flatMap { name -> [String] in
        let path = "\(folder)/\(name)"
        if GateShard.isFileName(name) { return [path] }
        // A CI system may download the files of each job into a folder.
        return ((try? files.contentsOfDirectory(atPath: path)) ?? []).sorted()
          .filter(GateShard.isFileName).map { "\(path)/\($0)" }
      }
    } catch {
      throw Failure(
        "cannot read the folder '\(show(folder))': "
          + "\(ErrorReason.clause(error.localizedDescription)). Pass the folder with the shards.")
    }
  }

  // MARK: - Joining

  private init(_ read: [Read]) throws {
    try Self.check(read)
    let count = read[0].file.shard.count
    let split = read.lazy.compactMap(\.file.split).first
    let byNumber = Dictionary(read.map { ($0.file.shard.number, $0.file) }) { first, _ in first }
    let all = (1...count).map { byNumber[$0] }
    let open = zip(1..., all).filter { $1.map { $0.digest.status == .interrupted } ?? true }
    isIncomplete = !open.isEmpty
    digest = Self.joined(read.map { $0.file.renamed })
    for (number, file) in open {
      let scenarios = split?[number - 1] ?? []
      let names =
        scenarios.isEmpty
        ? ""
        : " Not judged\(file == nil ? "" : " in full"): "
          + "\(Wording.list(scenarios))."
      add(
        "shard \(number) of \(count)", file == nil ? "missing" : "interrupted",
        (file == nil
          ? "There is no result of the shard: its job did not end." : "The shard was stopped.")
          + names)
    }
    digest.findings = GateFinding.sorted(digest.findings)
    digest.status = .worst(
      (digest.lines.map(\.status) + read.map(\.file.digest.status)).map {
        $0 == .usage ? .failed : $0
      })
    let notes =
      ["\(Wording.count(read.count, "shard")) of \(count)."]
      + read.compactMap(\.file.digest.note)
    digest.note = notes.uniqued().joined(separator: " ")
  }

  /// Adds the result of a shard that is missing or was stopped.
  private mutating func add(_ subject: String, _ word: String, _ note: String) {
    digest.lines.append(
      GateDigest.Line(
        subject: subject, run: nil, word: word, status: .inconclusive, note: note, isNamed: true,
        acceptance: nil))
    digest.results.append(
      .object([
        "change": .null, "subject": .string(subject), "status": .int(3),
        "verdict": .string(ExitStatus.inconclusive.word), "note": .string(note), "run": .null,
        "comparison": .null, "accepted": .array([]),
      ]))
    digest.findings.append(
      GateFinding(
        file: ProjectFile.name, subject: subject, topic: word, message: note, level: .warning))
    digest.checks.append(
      GateDigest.Check(
        JUnitRenderer.Case(suite: subject, name: "verdict", outcome: .skipped(note))))
  }

  /// Returns the results one after the other; their status and note are those of the first.
  private static func joined(_ digests: [GateDigest]) -> GateDigest {
    var joined = digests[0]
    for digest in digests.dropFirst() {
      joined.lines += digest.lines
      joined.results += digest.results
      joined.findings += digest.findings
      joined.checks += digest.checks
      joined.decided += digest.decided
      joined.undecided += digest.undecided
      joined.hasFailures = joined.hasFailures || digest.hasFailures
      joined.spreads += digest.spreads
    }
    let noise = digests.compactMap(\.noise).uniqued()
    joined.noise = noise.isEmpty ? nil : noise.joined(separator: "; ")
    return joined
  }

  // MARK: - Checking

  /// Refuses shards that are not of one gate.
  ///
  /// - Parameter read: The files by the number of the shard, at least one.
  /// - Throws: `Failure`, which names two files.
  private static func check(_ read: [Read]) throws {
    let advice = "Collect the shards of one gate only."
    for (one, other) in zip(read, read.dropFirst()) {
      let (left, right) = (one.file.shard, other.file.shard)
      guard left.count == right.count else {
        throw Failure(
          "'\(one.path)' is \(left.title) and '\(other.path)' is \(right.title). \(advice)")
      }
      guard left.number != right.number else {
        throw Failure("'\(one.path)' and '\(other.path)' are both \(left.title). \(advice)")
      }
    }
    let known = read.filter { $0.file.split != nil }
    for (one, other) in zip(known, known.dropFirst()) {
      let (left, right) = (one.file.facts, other.file.facts)
      let name = Set(left.keys).union(right.keys).sorted().first { left[$0] != right[$0] }
      if let name {
        func text(_ facts: [String: String]) -> String {
          facts[name].map { "'\($0)'" } ?? "unknown"
        }
        throw Failure(
          "'\(one.path)' and '\(other.path)' are of different gates: \(name) is \(text(left)) in the "
            + "first and \(text(right)) in the second. \(advice)")
      }
      guard one.file.split == other.file.split else {
        throw Failure(
          "'\(one.path)' and '\(other.path)' split the scenarios differently. \(advice) Each machine "
            + "needs the same files in \(CommittedTimes.folder) and Reports/decisions.")
      }
    }
  }
}

extension GateShardFile {
  /// The results, with the shard in the names of results about the gate as a whole.
  fileprivate var renamed: GateDigest {
    var digest = digest
    let general = Set(digest.lines.filter { !$0.isNamed }.map(\.subject)).union(["gate"])
    func renamed(_ subject: String) -> String {
      general.contains(subject) ? "\(subject), \(shard.title)" : subject
    }
    for index in digest.lines.indices {
      digest.lines[index].subject = renamed(digest.lines[index].subject)
    }
    for index in digest.findings.indices {
      digest.findings[index].subject = renamed(digest.findings[index].subject)
    }
    for index in digest.checks.indices {
      digest.checks[index].suite = renamed(digest.checks[index].suite)
    }
    return digest
  }
}

extension GateCollection {
  /// Returns the joined gate as a document, at most as long as requested.
  public func document(_ detail: Detail) -> Document {
    guard detail == .all else { return digest.document(isBrief: detail == .brief) }
    let findings = digest.findings.map { finding in
      Document.Block.paragraph("\(finding.level): \(finding.subject): \(finding.message)")
    }
    var blocks: [Document.Block] = [.verdict(digest.sentence, digest.status.tone)]
    if let note = digest.note { blocks.append(.paragraph(note)) }
    blocks.append(.table(digest.table))
    return Document(title: "gate", blocks: blocks + findings)
  }
}
