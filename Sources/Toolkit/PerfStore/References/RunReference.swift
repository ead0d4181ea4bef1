/// A user's reference to a stored run.
///
/// It is `latest`, `latest~2`, a run id or at least four of its first characters, a label, the name
/// of a baseline, a commit or at least seven of its first digits, `scenario:variant`, or a scenario
/// with one variant. The prefixes `run:`, `label:`, `baseline:`, `commit:` and `variant:` select a
/// kind.
public enum RunReference: Hashable, Sendable {
  /// The kinds of references.
  public enum Kind: String, Sendable, CaseIterable {
    case run
    case label
    case baseline
    case commit
    case variant

    /// The beginning of the message that nothing matches.
    var missingPhrase: String {
      switch self {
      case .run: "no run is"
      case .label: "no run has a label"
      case .baseline: "no baseline is"
      case .commit: "no run was made of a commit"
      case .variant: "no run was made of a variant"
      }
    }
  }

  /// The run with a number of later runs.
  case latest(before: Int)
  /// A reference with the prefix of a kind.
  case named(Kind, String)
  /// A reference without a prefix.
  case any(String)

  /// The least number of characters that can begin an id.
  public static let shortestID = 4
  /// The least number of digits that can begin a commit.
  public static let shortestCommit = 7

  /// Parses a reference.
  ///
  /// - Throws: `StoreError.invalidReference`.
  public init(_ text: String) throws(StoreError) {
    if let latest = try Self.latest(text) {
      self = latest
      return
    }
    guard let colon = text.firstIndex(of: ":"), let kind = Kind(rawValue: String(text[..<colon]))
    else {
      if text.isEmpty { throw .invalidReference(text: text, reason: "it is empty") }
      self = .any(text)
      return
    }
    let name = String(text[text.index(after: colon)...])
    if name.isEmpty {
      throw .invalidReference(text: text, reason: "nothing follows '\(kind.rawValue):'")
    }
    switch kind {
    case .run where name.count < Self.shortestID:
      throw .invalidReference(
        text: text, reason: "at least \(Self.shortestID) characters of a run's id are needed")
    case .commit where name.count < Self.shortestCommit || !name.isHexadecimal:
      throw .invalidReference(
        text: text,
        reason: "at least \(Self.shortestCommit) hexadecimal digits of a commit are needed")
    default: self = .named(kind, name)
    }
  }

  private static func latest(_ text: String) throws(StoreError) -> RunReference? {
    if text == "latest" { return .latest(before: 0) }
    guard text.hasPrefix("latest~") else { return nil }
    let digits = text.dropFirst("latest~".count)
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let distance = Int(digits)
    else {
      throw .invalidReference(
        text: text, reason: "'~' must be followed by the number of runs to go back, e.g. 'latest~2'"
      )
    }
    return .latest(before: distance)
  }
}
