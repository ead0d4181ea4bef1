/// A case study with its claims: the content of a claim file.
public struct ClaimStudy: Hashable, Sendable {
  /// A claim with one of the study's headline numbers, in a few words.
  struct Headline: Hashable, Sendable {
    /// The claim's ID.
    let id: String
    let text: String
  }

  /// The file's name without its extension, such as `photos`.
  public let key: String
  /// The name, such as `PhotoSwiftUISmoothly`.
  public let name: String
  /// The story of the study in one or two sentences; may be empty.
  public let story: String
  /// The claims in the order of the file.
  public let claims: [Claim]
  /// The headline numbers, the most important first.
  let headlines: [Headline]

  /// Returns whether a text is the name of the study or of its file; upper and lower case are equal.
  public func isNamed(_ text: String) -> Bool {
    [key, name].contains { $0.lowercased() == text.lowercased() }
  }
}
