internal import PerfModel

/// Why a store cannot do what it was asked for.
public enum StoreError: Error, Equatable, CustomStringConvertible {
  /// There is no file at the path.
  case missing(path: String)
  /// The file is something else than an SQLite database.
  case notADatabase(path: String)
  /// The database belongs to another program.
  case notAStore(path: String)
  /// The tables are of a version that this program does not know.
  case unknownSchema(path: String, found: String, known: String)
  /// The file or its folder cannot be read.
  case notReadable(path: String, cause: String)
  /// There can be no file of that path.
  case misplaced(path: String, cause: String)
  /// The file or its folder cannot be written.
  case notWritable(path: String, cause: String)
  /// Another process held the lock for longer than the timeout.
  case locked(path: String, waited: Duration)
  /// The disk has no room; bytes that were needed and that are free, where they are known.
  case diskFull(path: String, needed: Int?, free: Int?)
  /// What is stored makes no sense.
  case damaged(path: String, detail: String)
  /// A run has something in it that cannot be stored.
  case unstorable(run: String, reason: String)
  /// A run of that id is there already.
  case runExists(id: String)
  /// No run has that id.
  case unknownRun(id: String)
  /// No comparison has that id.
  case unknownComparison(id: String)
  /// A run cannot be removed while baselines hold it.
  case heldByBaseline(run: String, baseline: String)
  /// The store has no runs.
  case noRuns(path: String)
  /// The text is no reference to a run.
  case invalidReference(text: String, reason: String)
  /// Nothing is called so; `hint` is empty or names what is nearest.
  case unknownReference(text: String, kind: RunReference.Kind?, hint: String)
  /// More than one thing is called so.
  case ambiguousReference(text: String, matches: [String])
  /// A label or baseline may not be called so.
  case invalidName(name: String, reason: String)
  /// A file to be taken in is not what it should be; nothing was changed.
  case notImportable(path: String, cause: String)
  /// A baseline to be taken in has the name of another one.
  case baselineExists(name: String)
  /// What is to be taken in has the id of something else that is here.
  case differentContent(id: String)
  /// No baseline is called so; `hint` is empty or names what is nearest.
  case unknownBaseline(name: String, hint: String)
  /// SQLite or the system said something that no other case stands for.
  case failed(path: String, cause: String)

  /// What failed, on what, why, and what to do.
  public var description: String {
    switch self {
    case .missing(let path):
      "there are no runs yet: no run store is at '\(path)'. "
        + "Make a run by 'perfkit run SCENARIO', or pass another --store."
    case .noRuns(let path):
      "there are no runs in run store '\(path)' yet. Make one by 'perfkit run SCENARIO'."
    case .notADatabase(let path):
      "cannot open run store '\(path)': file is not a database. Pass another --store."
    case .notAStore(let path):
      "cannot open run store '\(path)': it is a database of another program, and was left as it is. "
        + "Pass another --store."
    case .unknownSchema(let path, let found, let known):
      "cannot open run store '\(path)': its schema is \(found), and this perfkit knows only "
        + "\(known). Nothing was changed. Use the perfkit that wrote it, or pass another --store."
    case .notReadable(let path, let cause):
      "cannot read run store '\(path)': \(cause). Make it readable, or pass another --store."
    case .misplaced(let path, let cause):
      "there can be no run store '\(path)': \(cause). Pass the path of a file as --store."
    case .notWritable(let path, let cause):
      "cannot write run store '\(path)': \(cause). Make it writable, or pass another --store."
    case .locked(let path, let waited):
      "run store '\(path)' is locked by another process; waited \(Self.seconds(waited)) s. "
        + "Let the other perfkit end and repeat the command; nothing was changed."
    case .diskFull(let path, let needed, let free):
      "cannot write run store '\(path)': the disk is full\(Self.space(needed, free)). "
        + "What was saved before is kept. Free some space, or pass a --store on another disk."
    case .damaged(let path, let detail):
      "run store '\(path)' is damaged: \(detail). "
        + "'perfkit store check' lists everything that is; restore a backup, or pass another --store."
    case .unstorable(let run, let reason):
      "cannot save run \(run): \(reason)."
    case .runExists(let id):
      "cannot save run \(id): the store has a run of this id."
    case .unknownRun(let id):
      "no run has the id '\(id)'. 'perfkit list runs' shows those that there are."
    case .unknownComparison(let id):
      "no comparison has the id '\(id)'. 'perfkit list comparisons' shows those that there are."
    case .heldByBaseline(let run, let baseline):
      "cannot remove run \(run): baseline '\(baseline)' holds it. "
        + "Remove that by 'perfkit baseline remove \(baseline)' first."
    case .invalidReference(let text, let reason):
      "'\(text)' names no run: \(reason)."
    case .unknownReference(let text, let kind, let hint):
      "\(kind?.missingPhrase ?? "no run, label, baseline, commit or variant is") called "
        + "'\(text)'\(Self.ended(hint)) 'perfkit list runs' shows what there is."
    case .ambiguousReference(let text, let matches):
      "'\(text)' can be \(matches.count) things; say which:"
        + matches.map { "\n  \($0)" }.joined()
    case .invalidName(let name, let reason):
      "'\(name)' cannot be a name: \(reason). Choose another."
    case .unknownBaseline(let name, let hint):
      "no baseline is called '\(name)'\(Self.ended(hint)) 'perfkit baseline list' shows those that there are."
    case .notImportable(let path, let cause):
      "cannot import '\(path)': \(cause). Nothing was changed."
    case .baselineExists(let name):
      "there is another baseline '\(name)' here. Nothing was changed; pass --as with another name, "
        + "or --replace."
    case .differentContent(let id):
      "'\(id)' is in this store, too, with other content. Nothing was changed; import into another "
        + "--store."
    case .failed(let path, let cause):
      "run store '\(path)' failed: \(cause)."
    }
  }

  /// A hint is a question, with its mark.
  private static func ended(_ hint: String) -> String {
    hint.hasSuffix("?") ? hint : hint + "."
  }

  private static func seconds(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    return NumberFormat.significant(Double(seconds) + Double(attoseconds) / 1e18, digits: 3)
  }

  private static func space(_ needed: Int?, _ free: Int?) -> String {
    let parts = [
      needed.map { "about \(NumberFormat.human(Double($0), .size)) are needed" },
      free.map { "\(NumberFormat.human(Double($0), .size)) are free" },
    ].compactMap(\.self)
    return parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
  }
}
