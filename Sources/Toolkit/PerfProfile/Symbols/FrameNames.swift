internal import PerfModel

/// The displayed names and keys of linkage names, each computed once.
struct FrameNames {
  private struct Names {
    let name: String
    let key: String
    let signature: String?
  }

  private var known: [String: Names] = [:]

  /// Demangles names, on all CPUs if there are many.
  init(of names: Set<String>, by demangler: Demangler) {
    let parts = Array(names).parts(Tool.processes(for: names.count))
    for part in parts.concurrentMap({ Self.names(of: $0, by: demangler) }) {
      known.merge(part) { first, _ in first }
    }
  }

  private static func names(
    of part: ArraySlice<String>, by demangler: Demangler
  ) -> [String: Names] {
    // A stub has the name of the function that it calls.
    let suffix = "@plt"
    let mangled = part.map { $0.hasSuffix(suffix) ? String($0.dropLast(suffix.count)) : $0 }
    let demangled = demangler.demangle(Set(mangled))
    let signatures = demangler.signatures(of: Set(mangled))
    var names: [String: Names] = [:]
    for (linkage, mangled) in zip(part, mangled) {
      let ending = linkage.utf8.count > mangled.utf8.count ? suffix : ""
      let name = (demangled[mangled] ?? mangled) + ending
      let signature = signatures[mangled].map { $0 + ending }
      names[linkage] = Names(
        name: name, key: FunctionKey.key(of: name), signature: signature == name ? nil : signature)
    }
    return names
  }

  /// Returns a frame with its displayed names.
  func symbol(_ frame: StackFrame) -> SymbolFrame {
    let names = known[frame.name]
    return SymbolFrame(
      name: names?.name ?? frame.name, key: names?.key ?? frame.name, signature: names?.signature,
      file: frame.file, line: frame.line)
  }
}
