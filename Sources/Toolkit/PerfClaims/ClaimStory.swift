internal import PerfModel
public import PerfReport

/// A case study with the verdicts on its claims: claim, before, after, verdict.
public struct ClaimStory: Sendable {
  /// The study.
  public let study: ClaimStudy
  /// The claims with their findings.
  public let rows: [ClaimsDocument.Row]

  /// Decides claims of a study.
  ///
  /// - Parameters:
  ///   - study: The study.
  ///   - isWhole: Whether all claims are decided; otherwise only the headline numbers.
  ///   - finding: Decides a claim.
  public init(
    _ study: ClaimStudy, isWhole: Bool = true, finding: (Claim) throws -> ClaimFinding
  ) rethrows {
    self.study = study
    let shown = Set(study.headlines.map(\.id))
    rows = try study.claims.filter { isWhole || shown.contains($0.id) }.map {
      ClaimsDocument.Row(claim: $0, finding: try finding($0))
    }
  }

  private var headlineRows: [(text: String, row: ClaimsDocument.Row)] {
    study.headlines.compactMap { headline in
      rows.first { $0.claim.id == headline.id }.map { (headline.text, $0) }
    }
  }

  /// Returns the table of the headline numbers, in the order of the file.
  public func headlines(titled title: String = "") -> Table {
    Table(
      id: "headlines-\(study.key)", title: title, columns: Self.columns,
      rows: headlineCells,
      caption: title.isEmpty ? "" : "\(Wording.count(rows.count, "claim")): \(rows.verdicts).")
  }

  /// Returns the table of the headline numbers of several studies.
  public static func headlines(of stories: [ClaimStory]) -> Table {
    Table(
      id: "headlines", title: "Headline numbers of the case studies", columns: columns,
      groups: stories.map { story in
        Table.Group(
          title: "\(story.study.name), told by 'perfkit show \(story.study.key)'",
          rows: story.headlineCells)
      },
      caption: "The verdicts are those of the latest runs of 'Scripts/claims' in the run store.")
  }

  private static let columns: [Table.Column] = [
    .init("claim"), .init("number", isFlexible: true), .init("before", .trailing),
    .init("after", .trailing), .init("verdict"),
  ]

  // MARK: - The story in one screen

  /// The story for a terminal of 80 columns and 24 lines.
  public var document: Document {
    Document(
      title: study.name,
      blocks: [
        .verdict(
          "\(study.name), \(Wording.count(rows.count, "claim")): \(rows.verdicts).", .strong),
        .paragraph(study.story), .table(headlines()), .paragraph(explanation), .paragraph(advice),
      ])
  }

  /// The first headline that was not reproduced, with its cause.
  private var explanation: String {
    let row = headlineRows.map(\.row).first { row in
      [.contradicted, .undecided, .notTestable].contains(row.finding.verdict)
    }
    guard let row else { return "" }
    let cause = row.finding.cause?.sentence ?? ""
    let text = "\(row.claim.id): \(row.finding.reason)" + (cause.isEmpty ? "" : " \(cause)")
    return text.count > 240 ? text.prefix(237) + "..." : text
  }

  private var advice: String {
    let isStale = rows.contains { $0.finding.verdict == .stale }
    let isOpen = rows.contains { $0.finding.verdict == .notMeasured }
    let state =
      isStale
      ? "STALE: the scenario, its parameters or its program changed since the run. "
      : isOpen ? "NOT MEASURED: the run store has no run for it. " : ""
    return state
      + (isStale || isOpen ? "'Scripts/claims' measures and decides all claims; " : "")
      + "Reports/claims.md has the published verdicts on all claims."
  }

  /// The story for scripts.
  public var json: JSONValue {
    .object([
      "schema": "perfkit.study/1", "study": .string(study.name), "key": .string(study.key),
      "story": .string(study.story), "headlines": headlineJSON,
      "summary": .object(
        Dictionary(
          uniqueKeysWithValues: ClaimVerdict.allCases.map { verdict in
            (verdict.rawValue, .int(rows.count { $0.finding.verdict == verdict }))
          })),
    ])
  }

  /// The headline numbers for scripts.
  public var headlineJSON: JSONValue {
    .array(
      headlineRows.map { text, row in
        guard case .object(var members) = row.json else { return row.json }
        members["headline"] = .string(text)
        return .object(members)
      })
  }

  private var headlineCells: [[Table.Cell]] {
    headlineRows.map { text, row in
      let finding = row.finding
      return [
        .init(row.claim.id), .init(text), .init(finding.before?.short ?? ""),
        .init(finding.after?.short ?? ""), .init(finding.verdict.words, finding.verdict.tone),
      ]
    }
  }
}
