/// A function at an address with names for readers; it may be inlined into another one.
public struct SymbolFrame: Hashable, Sendable, Codable {
  /// The demangled, simplified name.
  public let name: String
  /// The name that survives recompilation; see `FunctionKey`.
  public let key: String
  /// The whole demangled name, with modules and types; nil if `name` is all there is.
  public let signature: String?
  /// The source file's path; nil if unknown.
  public let file: String?
  /// The line in the file; 0 if unknown.
  public let line: Int

  /// Creates a frame.
  public init(name: String, key: String, signature: String? = nil, file: String?, line: Int) {
    self.name = name
    self.key = key
    self.signature = signature
    self.file = file
    self.line = line
  }

  /// Returns the same function at another line.
  func atLine(_ line: Int) -> Self {
    Self(name: name, key: key, signature: signature, file: file, line: line)
  }
}
