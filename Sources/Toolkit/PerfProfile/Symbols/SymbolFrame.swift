/// A function at an address with names for readers; it may be inlined into another one.
struct SymbolFrame: Hashable, Sendable {
  /// The demangled, simplified name.
  let name: String
  /// The name that survives recompilation; see `FunctionKey`.
  let key: String
  /// The whole demangled name, with modules and types; nil if `name` is all there is.
  var signature: String?
  /// The source file's path; nil if unknown.
  let file: String?
  /// The line in the file; 0 if unknown.
  var line: Int
}
