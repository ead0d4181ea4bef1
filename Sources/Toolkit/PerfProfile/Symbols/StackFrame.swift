/// A function at an address, with the name that the linker knows: still mangled.
struct StackFrame: Hashable, Sendable {
  let name: String
  /// The source file's path; nil if unknown.
  let file: String?
  /// The line in the file; 0 if unknown.
  let line: Int
}
