internal import PerfModel

/// The reason why an operation of a store failed.
public enum StoreError: Error, Equatable, CustomStringConvertible {
  case missing(path: String)
  case notADatabase(path: String)
  case notAStore(path: String)
  /// The tables are of a version that this program does not know.
  case unknownSchema(path: String, found: String, known: String)
  case notReadable(path: String, cause: String)
  /// The path cannot be the path of a file.
  case misplaced(path: String, cause: String)
  /// The new store's file exists.
  case exists(path: String)
  case notWritable(path: String, cause: String)
  /// Another process held the lock for longer than the timeout.
  case locked(path: String, waited: Duration)
  /// The disk is full; the needed and free bytes are nil if unknown.
  case diskFull(path: String, needed: Int?, free: Int?)
  case damaged(path: String, detail: String)
  case unstorable(run: String, reason: String)
  case runExists(id: String)
  case unknownRun(id: String)
  case unknownComparison(id: String)
  /// The run cannot be removed because a baseline contains it.
  case heldByBaseline(run: String, baseline: String)
  case noRuns(path: String)
  case invalidReference(text: String, reason: String)
  /// Nothing matches the reference; `hint` is empty or names the nearest match.
  case unknownReference(text: String, kind: RunReference.Kind?, hint: String)
  case ambiguousReference(text: String, matches: [String])
  /// The name is not allowed for a label or baseline.
  case invalidName(name: String, reason: String)
  /// The file cannot be imported; nothing was changed.
  case notImportable(path: String, cause: String)
  /// The store contains another baseline with the name.
  case baselineExists(name: String)
  /// The store contains another item with the id of an imported one.
  case differentContent(id: String)
  /// No baseline has the name; `hint` is empty or names the nearest one.
  case unknownBaseline(name: String, hint: String)
  /// SQLite or the system reported another error.
  case failed(path: String, cause: String)

  /// A message with the object, the cause and the remedy.
  public var description: String {
    switch self {
    case .missing(let path):
      "there are no runs yet: run store '\(path)' does not exist. "
        + "Measure with 'perfkit run SCENARIO', or pass another --store."
    case .noRuns(let path):
      "there are no runs yet in run store '\(path)'. Measure with 'perfkit run SCENARIO'."
    case .notADatabase(let path):
      "cannot open run store '\(path)': file is not a database. Pass another --store."
    case .notAStore(let path):
      "cannot open run store '\(path)': it is the database of another program. "
        + "Nothing was changed. Pass another --store."
    case .unknownSchema(let path, let found, let known):
      "cannot open run store '\(path)': its schema is \(found), and this perfkit knows only "
        + "\(known). Nothing was changed. Use the perfkit that wrote it, or pass another --store."
    case .notReadable(let path, let cause):
      "cannot read run store '\(path)': \(cause). Make it readable, or pass another --store."
    case .misplaced(let path, let cause):
      "cannot use run store '\(path)': \(cause). Name a file."
    case .exists(let path):
      "'\(path)' exists already. Remove it, or name another file."
    case .notWritable(let path, let cause):
      "cannot write run store '\(path)': \(cause). Make it writable, or pass another --store."
    case .locked(let path, let waited):
      "run store '\(path)' is locked by another process (waited \(Self.seconds(waited)) s). "
        + "Nothing was changed. Wait until the other process ends, then repeat the command."
    case .diskFull(let path, let needed, let free):
      "cannot write run store '\(path)': the disk is full\(Self.space(needed, free)). "
        + "Earlier data is kept. Free some space, or pass a --store on another disk."
    case .damaged(let path, let detail):
      "run store '\(path)' is damaged: \(detail). "
        + "'perfkit store check' lists all damage. Restore a backup, or pass another --store."
    case .unstorable(let run, let reason):
      "cannot save run \(run): \(reason)."
    case .runExists(let id):
      "cannot save run \(id): the store contains a run with this id."
    case .unknownRun(let id):
      "no run has the id '\(id)'. 'perfkit list runs' lists all runs."
    case .unknownComparison(let id):
      "no comparison has the id '\(id)'. 'perfkit list comparisons' lists all comparisons."
    case .heldByBaseline(let run, let baseline):
      "cannot remove run \(run): baseline '\(baseline)' contains it. "
        + "First remove the baseline with 'perfkit baseline remove \(baseline)'."
    case .invalidReference(let text, let reason):
      "'\(text)' names no run: \(reason)."
    case .unknownReference(let text, let kind, let hint):
      "\(kind?.missingPhrase ?? "no run, label, baseline, commit or variant is") called "
        + "'\(text)'\(Self.ended(hint)) 'perfkit list runs' lists all runs."
    case .ambiguousReference(let text, let matches):
      "'\(text)' is ambiguous. Pass one of these \(matches.count):"
        + matches.map { "\n  \($0)" }.joined()
    case .invalidName(let name, let reason):
      "'\(name)' cannot be a name: \(reason). Choose another name."
    case .unknownBaseline(let name, let hint):
      "no baseline is called '\(name)'\(Self.ended(hint)) 'perfkit baseline list' lists all baselines."
    case .notImportable(let path, let cause):
      "cannot import '\(path)': \(ErrorReason.clause(cause)). Nothing was changed."
    case .baselineExists(let name):
      "the store contains another baseline '\(name)'. Nothing was changed. Pass --as with another "
        + "name, or --replace."
    case .differentContent(let id):
      "the store contains '\(id)' with different content. Nothing was changed. Import into another "
        + "--store."
    case .failed(let path, let cause):
      "run store '\(path)' failed: \(cause)."
    }
  }

  private static func ended(_ hint: String) -> String {
    hint.hasSuffix("?") ? hint : hint + "."
  }

  private static func seconds(_ duration: Duration) -> String {
    NumberFormat.significant(duration.seconds, digits: 3)
  }

  private static func space(_ needed: Int?, _ free: Int?) -> String {
    let parts = [
      needed.map { "about \(NumberFormat.human(Double($0), .size)) are needed" },
      free.map { "\(NumberFormat.human(Double($0), .size)) are free" },
    ].compactMap(\.self)
    return parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
  }
}
