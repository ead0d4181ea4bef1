internal import PerfModel

/// A stack frame in the output of `perf script`: `address symbol+0xoffset (module)`.
struct PerfScriptFrame {
  let name: String
  /// The module as in profiles; nil for an inlined function, which has that of its caller.
  let module: String?

  /// Reads the part of a line after the address.
  init(_ text: ArraySlice<UInt8>) {
    var text = text.trimmed.text
    for ending in [" (deleted))", "(deleted)"] where text.hasSuffix(ending) {
      text = String(text.dropLast(ending.count)) + (ending.hasSuffix("))") ? ")" : "")
    }
    var place: Substring?
    if text.hasSuffix(")"), let open = Self.lastOpening(in: text) {
      place = text[open...].dropFirst().dropLast()
      text = String(text[..<open])
      if text.hasSuffix(" ") { text.removeLast() }
    }
    if let plus = text.lastIndex(of: "+"), Self.isOffset(text[plus...]) {
      text = String(text[..<plus])
    }
    name = text
    module = place == "inlined" ? nil : Self.module(String(place ?? ""))
  }

  /// Returns the place of the parenthesis before the module: at the beginning, or after a space.
  private static func lastOpening(in text: String) -> String.Index? {
    var place = text.endIndex
    while let open = text[..<place].lastIndex(of: "(") {
      if open == text.startIndex || text[text.index(before: open)] == " " { return open }
      place = open
    }
    return nil
  }

  /// Returns whether a text is `+0x` and hexadecimal digits.
  private static func isOffset(_ text: Substring) -> Bool {
    text.hasPrefix("+0x") && text.count > 3 && text.dropFirst(3).allSatisfy(\.isHexDigit)
  }

  /// Returns the module of a path: the file name, or a name in brackets.
  private static func module(_ path: String) -> String {
    let name = String(path.split(separator: "/").last ?? "")
    let isMap = name.hasPrefix("perf-") && name.hasSuffix(".map") || name.hasPrefix("jitted-")
    if isMap || name.hasPrefix("[JIT]") { return Profile.generatedModule }
    let ofProcess = ["[vdso]", "[vsyscall]", "[heap]", "[stack]", "[anon", "[unknown]"]
    guard name.hasPrefix("["), !ofProcess.contains(where: name.hasPrefix) else {
      return ["[unknown]", "anon"].contains(name) ? "" : name
    }
    // All others are the kernel and its modules.
    return Profile.kernelModule
  }
}
