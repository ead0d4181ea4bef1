/// What a user wrote to name a stored run.
///
/// `latest`, `latest~2`, a run id or at least four characters of its beginning, a label, a
/// baseline's name, a commit or at least seven digits of it, `scenario:variant`, or a scenario with
/// one variant. The prefixes `run:`, `label:`, `baseline:`, `commit:` and `variant:` say which.
public enum RunReference: Hashable, Sendable {
  /// The kinds of things that can be named.
  public enum Kind: String, Sendable, CaseIterable {
    case run
    case label
    case baseline
    case commit
    case variant

    /// The begin of the sentence that nothing is called so.
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

  /// The run that so many came after.
  case latest(before: Int)
  /// What a prefix says to be of a kind.
  case named(Kind, String)
  /// Anything that fits.
  case any(String)

  /// The fewest characters of a run's id that name it.
  static let shortestID = 4
  /// The fewest digits of a commit that name it.
  static let shortestCommit = 7

  /// Reads a reference.
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
        text: text, reason: "a run's id needs at least \(Self.shortestID) of its characters")
    case .commit where name.count < Self.shortestCommit || !name.isHexadecimal:
      throw .invalidReference(
        text: text, reason: "a commit is at least \(Self.shortestCommit) hexadecimal digits")
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
        text: text, reason: "after '~' comes how many runs to go back, as in 'latest~2'")
    }
    return .latest(before: distance)
  }
}
