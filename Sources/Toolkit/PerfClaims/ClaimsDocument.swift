public import PerfModel
public import PerfReport

/// The report on the claims of case studies, each with its verdict.
public struct ClaimsDocument: Sendable {
  /// A claim with its finding.
  public struct Row: Sendable {
    /// The claim.
    public let claim: Claim
    /// The verdict and its figures.
    public let finding: ClaimFinding
  }

  /// The parts of a study.
  let parts: [ClaimStory]
  /// The expectations of the scenarios, judged by runs.
  public let contrasts: [ClaimContrast]
  /// The runs that the verdicts are based on, by scenario and variant.
  let runs: [Run]

  /// Creates a document.
  ///
  /// - Parameters:
  ///   - studies: The studies in the order of the report.
  ///   - finding: Decides a claim.
  ///   - contrasts: Returns the judged expectations of the scenarios; called after all decisions.
  ///   - runs: Returns all runs that the verdicts are based on; called last.
  public init(
    _ studies: [ClaimStudy], finding: (Claim) throws -> ClaimFinding,
    contrasts: () throws -> [ClaimContrast], runs: () -> [Run]
  ) rethrows {
    parts = try studies.map { try ClaimStory($0, finding: finding) }
    self.contrasts = try contrasts()
    let judged = self.contrasts.flatMap(\.result.runs)
    let known = Set(parts.flatMap(\.rows).flatMap(\.finding.runs) + judged)
    self.runs = runs().filter { known.contains($0.id) }
  }

  /// The claims with their findings.
  public var rows: [Row] { parts.flatMap(\.rows) }

  /// The number of claims with each verdict, in one line.
  public var summary: String {
    "\(Wording.count(rows.count, "claim")): \(rows.verdicts)"
  }

  /// The claims without a valid verdict: stale, or without a run.
  public var open: [Row] {
    rows.filter { $0.finding.verdict == .stale || $0.finding.verdict == .notMeasured }
  }

  /// Whether all claims have a valid verdict and no contrast is stale.
  public var isComplete: Bool { open.isEmpty && !contrasts.contains(where: \.isStale) }

  // MARK: - Document

  /// The document for the renderers.
  public var document: Document {
    let tables =
      parts.map(\.details) + [ClaimContrast.table(of: contrasts), runTable].compactMap(\.self)
    return Document(
      title: "Claims of the case studies, measured here",
      blocks: [
        .verdict(summary + ".", isComplete ? .good : .unknown), .paragraph(overview),
      ] + parts.map { .table($0.headlines(titled: $0.study.name)) }
        + [.paragraph("All claims follow, with their evidence; the last table lists the runs.")]
        + Self.method.map(Document.Block.paragraph)
        + tables.map(Document.Block.table))
  }

  /// The verdicts by the kind of evidence, in a paragraph.
  private var overview: String {
    func part(_ name: String, _ isPart: (Claim.Evidence) -> Bool) -> String? {
      let some = rows.filter { isPart($0.claim.evidence) }
      return some.isEmpty ? nil : "\(some.count) \(name): \(some.verdicts)"
    }
    let parts = [
      part("are decided by measurements") { if case .measured = $0 { true } else { false } },
      part("by arithmetic over the studies' own numbers") {
        if case .computed = $0 { true } else { false }
      },
      part("cannot be tested without a phone") {
        if case .notTestable = $0 { true } else { false }
      },
    ]
    return "Of the claims, " + parts.compactMap(\.self).joined(separator: "; ") + "."
  }

  private static let method = [
    "A claim about a measurement is REPRODUCED if the 95 % confidence interval here is inside of the "
      + "allowed range, CONTRADICTED if it is outside, and UNDECIDED if it reaches both. An estimate is "
      + "the median over launches (for crashes: their share of all launches); a change is estimated as "
      + "the ratio between the launches of both runs. Brackets contain the interval. A verdict is called "
      + "close if a drift of 5 % between sessions could change it. STATED claims only repeat an input of "
      + "the measurement, such as a parameter, and prove nothing. STALE claims have runs from before a "
      + "change of their scenario, its parameters or its program.",
    "Limits (<, >) apply as claimed. Numbers have a tolerance: counts and sums none; shares one "
      + "percentage point in both directions; times measured on another device a factor of 3 in both "
      + "directions, or a bound if the time expresses a success; ratios of two such times a factor of "
      + "2 in both directions. Arithmetic over a case study's own numbers is computed here. A "
      + "contradiction has a cause with the measurement that shows it, or its cause is unknown.",
  ]

  private var runTable: Table {
    Table(
      id: "runs", title: "Runs",
      columns: [
        .init("run"), .init("scenario:variant"), .init("started (UTC)"),
        .init("launches", .trailing), .init("commit"), .init("program"), .init("machine"),
        .init("conditions"), .init("parameters"),
      ],
      rows: runs.map { run in
        [
          .init(run.id), .init(run.subject), .init(run.started.short),
          .init("\(run.profiled.count)"), .init(run.revision),
          .init(run.environment[.buildIdentity] ?? ""), .init(run.machine),
          .init(run.environment[.conditions] ?? ""),
          .init(
            run.parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
              .joined(separator: " ")),
        ]
      })
  }
}

extension Sequence<ClaimsDocument.Row> {
  /// The number of claims with each verdict, in words.
  var verdicts: String {
    ClaimVerdict.allCases.compactMap { verdict in
      let count = count { $0.finding.verdict == verdict }
      return count > 0 ? "\(count) \(verdict.words.lowercased())" : nil
    }
    .joined(separator: ", ")
  }
}

extension Run {
  /// The commit, with a plus sign if the tree had changes; empty if unknown.
  var revision: String {
    (environment[.commit]?.prefix(10)).map {
      $0 + (environment[.dirty] == "true" ? "+" : "")
    } ?? ""
  }

  /// The machine in a few words.
  var machine: String {
    let cpus = environment[.cpuCount].map { "\($0) CPUs" }
    return [
      environment[.cpuModel], cpus, environment[.memoryTotal], environment[.kernel],
      environment[.system], environment[.toolchain],
    ].compactMap(\.self).joined(separator: ", ")
  }
}

extension ClaimVerdict {
  /// The verdict as it is printed.
  public var words: String {
    switch self {
    case .reproduced: "REPRODUCED"
    case .contradicted: "CONTRADICTED"
    case .undecided: "UNDECIDED"
    case .stated: "STATED"
    case .notTestable: "NOT TESTABLE"
    case .stale: "STALE"
    case .notMeasured: "NOT MEASURED"
    }
  }

  var tone: Tone {
    switch self {
    case .reproduced: .good
    case .contradicted: .bad
    case .stated, .notTestable: .muted
    case .undecided, .stale, .notMeasured: .unknown
    }
  }
}
