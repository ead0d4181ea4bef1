internal import PerfModel
internal import PerfRunner
internal import PerfScenario
internal import PerfStore

/// What a gate compares with.
enum GateTarget {
  /// Nothing: only budgets are judged.
  case nothing
  /// A stored baseline.
  case baseline(String)
  /// A revision, by the name that the user gave, or the merge base with the target branch.
  case revision(String?)

  /// Finds out which of them a name stands for.
  ///
  /// - Parameters:
  ///   - name: A revision or a baseline, with `commit:` or `baseline:` in front where both are called
  ///     so; nil for the merge base.
  ///   - isNone: Whether nothing is to be compared with.
  ///   - measuring: With the store.
  ///   - checkout: Where revisions are looked up; nil where there is none.
  /// - Throws: `Failure` when nothing is called so, or both are; `StoreError` for a store that cannot
  ///   be read.
  init(
    _ name: String?, isNone: Bool, measuring: Measuring, checkout: GitCheckout?
  ) throws {
    guard !isNone else {
      self = .nothing
      return
    }
    guard let name else {
      self = .revision(nil)
      return
    }
    let path = measuring.global.storePath(measuring.context)
    if name.hasPrefix("commit:") {
      let name = String(name.dropFirst(7))
      _ = try checkout?.revision(name)
      self = .revision(name)
      return
    }
    if name.hasPrefix("baseline:") {
      let name = String(name.dropFirst(9))
      _ = try RunStore(path: path, access: .reading).baseline(named: name)
      self = .baseline(name)
      return
    }
    let baselines = try Self.baselines(in: path)
    // Byte by byte, as the store finds them: two normal forms of Unicode are two names.
    let isBaseline = baselines.contains { $0.utf8.elementsEqual(name.utf8) }
    let isRevision = (try? checkout?.revision(name)) != nil
    switch (isBaseline, isRevision) {
    case (true, true):
      throw Failure(
        "'\(name)' is a baseline and a revision; say --against baseline:\(name) or "
          + "commit:\(name).", status: .usage)
    case (true, false): self = .baseline(name)
    case (false, true): self = .revision(name)
    case (false, false):
      let hint = NearestName.hint(for: name, among: baselines)
      let noBaseline = "no baseline is called '\(name)'\(hint.isEmpty ? "." : hint)"
      do {
        // Where there is no checkout, this says why.
        let context = measuring.context
        let place =
          try checkout
          ?? GitCheckout(containing: context.workingDirectory, variables: context.variables)
        _ = try place.revision(name)
        self = .revision(name)
      } catch {
        throw Failure("\(error) And \(noBaseline)")
      }
    }
  }

  /// The names of the stored baselines; none where there is no store yet.
  private static func baselines(in path: String) throws -> [String] {
    do {
      return try RunStore(path: path, access: .reading).baselines().map(\.name)
    } catch {
      guard case .missing = error else { throw error }
      return []
    }
  }

  /// It in words.
  var title: String {
    switch self {
    case .nothing: "budgets alone"
    case .baseline(let name): "baseline '\(name)'"
    case .revision(let name): name ?? "the merge base with the target branch"
    }
  }

  /// The name of the baseline; nil without one.
  private var baselineName: String? { if case .baseline(let name) = self { name } else { nil } }

  /// Whether both sides are measured now, in pairs.
  var isRevision: Bool { if case .revision = self { true } else { false } }

  /// What measures and judges.
  enum Judge {
    case stored(Gate)
    case revisions(RevisionGate)

    /// What a reader must know before any result; nil for nothing.
    var note: String? {
      switch self {
      case .stored: nil
      case .revisions(let gate): gate.note
      }
    }

    /// Measures and judges; one result for each scenario and variant.
    func results(
      _ names: [String], variants: [String], into store: RunStore
    ) throws -> [GateResult] {
      switch self {
      case .stored(let gate): try gate.judge(names, variants: variants, into: store)
      case .revisions(let gate): gate.judge(names, variants: variants, into: store)
      }
    }
  }

  /// Finds what is compared with, without building or measuring anything.
  ///
  /// - Throws: What `judge` would throw before it builds.
  func check(_ measuring: Measuring) throws {
    guard case .revision(let name) = self else { return }
    _ = try RevisionSides.find(measuring) { try Self.sides(name, in: $0) }
  }

  /// The base, by default the merge base with the target branch, and what lies in the checkout.
  private static func sides(
    _ base: String?, in checkout: GitCheckout
  ) throws -> (base: GitCheckout.Revision, candidate: GitCheckout.Revision) {
    let found =
      try base.map { try checkout.revision($0) }
      ?? checkout.mergeBase(of: "HEAD", with: try checkout.targetBranch())
    return (found, try checkout.revision(GitCheckout.workTree))
  }

  /// Returns what judges; both revisions are built for it.
  func judge(_ measuring: Measuring, pairing: PairingOptions) throws -> Judge {
    let pages = LedgerFolder(in: measuring.context)
    switch self {
    case .nothing, .baseline:
      return .stored(
        Gate(
          measuring: measuring, baseline: baselineName,
          allowsDifferentEnvironments: pairing.allowDifferentEnvironments, pages: pages))
    case .revision(let name):
      let sides = try RevisionSides(measuring: measuring) { try Self.sides(name, in: $0) }
      return .revisions(
        RevisionGate(measuring: measuring, pairing: pairing, sides: sides, pages: pages))
    }
  }
}
