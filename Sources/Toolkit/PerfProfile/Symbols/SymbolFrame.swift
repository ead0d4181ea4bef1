/// One function that an address belongs to: the one whose code it is, or one inlined into it.
public struct SymbolFrame: Hashable, Sendable, Codable {
  /// The demangled, simplified name.
  public let name: String
  /// A name that survives recompilation; see `FunctionKey`.
  public let key: String
  /// The whole demangled name, with modules and types; nil where `name` is all there is.
  public let signature: String?
  /// The source file's path, or nil.
  public let file: String?
  /// The line in it, or 0.
  public let line: Int

  /// Creates a frame.
  public init(name: String, key: String, signature: String? = nil, file: String?, line: Int) {
    self.name = name
    self.key = key
    self.signature = signature
    self.file = file
    self.line = line
  }

  /// The same function at another line.
  func atLine(_ line: Int) -> Self {
    Self(name: name, key: key, signature: signature, file: file, line: line)
  }
}
