internal import PerfModel
internal import PerfRunner
internal import PerfScenario
internal import PerfStore

/// The base that a gate compares with.
enum GateTarget {
  /// No base: only budgets are judged.
  case nothing
  case baseline(String)
  /// A revision by its name, or nil for the merge base with the target branch.
  case revision(String?)

  /// Finds the baseline or revision with a name.
  ///
  /// - Parameters:
  ///   - name: The name of a revision or a baseline, with the prefix `commit:` or `baseline:` if both
  ///     exist; nil for the merge base.
  ///   - measuring: The measurement, with its store.
  ///   - checkout: The repository; nil if there is none.
  /// - Throws: `Failure` if the name is unknown or ambiguous; `StoreError` for a store that cannot be
  ///   read.
  init(_ name: String?, measuring: Measuring, checkout: GitCheckout?) throws {
    guard let name else {
      self = .revision(nil)
      return
    }
    if name.hasPrefix("commit:") {
      let name = String(name.dropFirst(7))
      _ = try checkout?.revision(name)
      self = .revision(name)
      return
    }
    if name.hasPrefix("baseline:") {
      let name = String(name.dropFirst(9))
      _ = try RunStore(path: measuring.storePath, access: .reading).baseline(named: name)
      self = .baseline(name)
      return
    }
    let baselines = try RunStore.existing(at: measuring.storePath)?.baselines().map(\.name) ?? []
    // Compared byte by byte, as the store does: two normal forms of Unicode are two names.
    let isBaseline = baselines.contains { $0.utf8.elementsEqual(name.utf8) }
    let isRevision = (try? checkout?.revision(name)) != nil
    switch (isBaseline, isRevision) {
    case (true, true):
      throw Failure(
        "'\(name)' is a baseline and a revision. Use --against baseline:\(name) or "
          + "--against commit:\(name).", status: .usage)
    case (true, false): self = .baseline(name)
    case (false, true): self = .revision(name)
    case (false, false):
      let ending = NearestName.ending(for: name, among: baselines)
      let noBaseline = "There is no baseline '\(name)' either\(ending)"
      do {
        // If there is no checkout, this throws the reason.
        _ = try (checkout ?? measuring.workspace.checkout()).revision(name)
        self = .revision(name)
      } catch {
        throw Failure("\(error) \(noBaseline)")
      }
    }
  }

  var title: String {
    switch self {
    case .nothing: "budgets only"
    case .baseline(let name): "baseline '\(name)'"
    case .revision(let name): name ?? "the merge base with the target branch"
    }
  }

  /// Whether both sides are built and measured in pairs.
  var isRevision: Bool { if case .revision = self { true } else { false } }

  /// The name of the revision; nil for the merge base, and for a gate without revisions.
  var revisionName: String? { if case .revision(let name) = self { name } else { nil } }

  /// The sides of a gate, and the project file of the target branch if the project names the base.
  typealias Sides = (revisions: BuiltRevisions.Pair, upstream: ProjectFile?)

  /// Returns the base, by default the merge base with the target branch, and the work tree.
  ///
  /// - Parameters:
  ///   - base: The name of the base; nil for the merge base.
  ///   - isProjectBase: Whether the project names the base, not the user.
  ///   - place: The folder of the project, from the root and with a slash at its end.
  ///   - checkout: The repository.
  /// - Returns: The sides.
  /// - Throws: As `upstream`, or `RevisionError`.
  static func sides(
    _ base: String?, isProjectBase: Bool, at place: String, in checkout: GitCheckout
  ) throws -> Sides {
    let found =
      try base.map { try checkout.revision($0) }
      ?? checkout.mergeBase(of: "HEAD", with: try checkout.targetBranch())
    let upstream = isProjectBase ? try upstream(naming: found, at: place, in: checkout) : nil
    return ((found, try checkout.revision(GitCheckout.workTree)), upstream)
  }

  /// Returns the project file that names the base of the project's gates: the file of the target
  /// branch, as a candidate must not choose its base.
  ///
  /// - Parameters:
  ///   - base: The base that the candidate's project file names.
  ///   - place: The folder of the project, from the root and with a slash at its end.
  ///   - checkout: The repository.
  /// - Returns: The file at the merge base. Without a file there, the standard settings, or nil if the
  ///   target branch contains the named base.
  /// - Throws: `RevisionError` if there is no merge base; `Failure` if the target branch is unknown.
  private static func upstream(
    naming base: GitCheckout.Revision, at place: String, in checkout: GitCheckout
  ) throws -> ProjectFile? {
    let target: String
    do {
      target = try checkout.targetBranch()
    } catch {
      guard case .noTargetBranch(let tried) = error else { throw error }
      throw Failure(
        "cannot check the base '\(base.name)' of \(ProjectFile.name): the target branch is unknown "
          + "(tried \(tried.joined(separator: ", "))). Name it with `git remote set-head origin "
          + "BRANCH`, or pass the base as --against.")
    }
    let merged = try checkout.mergeBase(of: "HEAD", with: target)
    let file = try ProjectFile.read(at: place) { path in
      (try? checkout.text(of: path, in: merged)) ?? nil
    }?.get()
    return file ?? (checkout.isAncestor(base.commit, of: target) ? nil : ProjectFile())
  }
}
