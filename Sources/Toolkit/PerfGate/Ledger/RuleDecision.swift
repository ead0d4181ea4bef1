public import PerfModel
internal import PerfRunner
internal import PerfScenario

/// A change of the gate's rules that a decision accepts, such as `removed:scroll-1000`.
public struct RuleDecision {
  /// The change as a comparison without metrics, of the base and the checkout's content.
  public let comparison: Comparison
  /// The change in a sentence, by which a gate knows it again.
  public let sentence: String

  /// Returns whether a text names a change of the rules, not a comparison.
  public static func isName(_ text: String) -> Bool {
    [GateChange.Kind.removed, .loosened, .changed].contains { text.hasPrefix("\($0.rawValue):") }
  }

  /// Finds a change of the rules between a base and the checkout; only suites of
  /// package-benchmark are built.
  ///
  /// - Parameters:
  ///   - name: The name of the change that the gate printed.
  ///   - base: The gate's base; nil for the project's or the merge base.
  ///   - measuring: The measurement, with its store and working directory.
  /// - Throws: `RevisionError`, `ScenarioError`, `CancellationError`, or `Failure` for an unknown change.
  public init(_ name: String, against base: String?, measuring: Measuring) throws {
    var upstream: ProjectFile?
    // A scenario's name contains no slash.
    let isBenchmark =
      name.hasPrefix("\(GateChange.Kind.removed.rawValue):") && name.contains("/")
    let found = try FoundRevisions(measuring, needsProject: !isBenchmark) { checkout in
      let project = try measuring.workspace.project(in: checkout)
      let target = try GateTarget(
        base ?? project?.gate.against, measuring: measuring, checkout: checkout)
      let sides = try GateTarget.sides(
        target.revisionName, isProjectBase: base == nil, at: project?.place ?? "", in: checkout)
      upstream = sides.upstream
      return sides.revisions
    }
    let (old, new) = (found.base, found.candidate)
    func rules(of revision: GitCheckout.Revision) -> GateRules {
      GateRules(of: revision, in: found.checkout, place: found.project.place)
    }
    var changes = rules(of: old).changes(to: rules(of: new), upstream: upstream)
    if isBenchmark {
      changes += try Suites(named: [], measuring).sides { _ in (old, new) }.changes
    }
    guard let change = changes.first(where: { $0.id == name }) else {
      let known = changes.filter { Self.isName($0.id) }.map(\.id)
      throw Failure(
        "there is no change '\(name)' of the rules between \(old.title) and \(new.title). "
          + (known.isEmpty
            ? "Pass the gate's --against." : "There is \(known.joined(separator: ", "))."))
    }
    func side(_ revision: GitCheckout.Revision) -> Comparison.Side {
      Comparison.Side(
        run: "", scenario: change.subject, variant: "", label: nil, commit: revision.head,
        started: measuring.workspace.now())
    }
    comparison = Comparison(
      id: name, base: side(old), candidate: side(new), alpha: 0, seed: 0, metrics: [],
      functions: [], environmentDifferences: [], warnings: [], verdict: .regressed)
    sentence = change.sentence
  }
}
