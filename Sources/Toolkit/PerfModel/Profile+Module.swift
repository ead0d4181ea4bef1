extension Profile {
  /// A file that functions come from.
  public struct Module: Hashable, Sendable {
    /// Its file name, as functions give it.
    public let name: String
    /// Its path where it was measured.
    public let path: String
    /// Its build id in hexadecimal digits; empty when it has none.
    public let buildID: String

    /// Creates a module.
    public init(name: String, path: String, buildID: String) {
      self.name = name
      self.path = path
      self.buildID = buildID
    }
  }
}
