internal import Glibc

/// A demangler of many names at a time, for Swift, C++ and Rust.
struct Demangler {
  /// The programs that demangle.
  let tools: ToolPaths

  private static let newline = UInt8(ascii: "\n")

  private typealias SwiftDemangle =
    @convention(c) (
      UnsafePointer<CChar>?, Int, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?, UInt32
    ) -> UnsafeMutablePointer<CChar>?
  private typealias ItaniumDemangle =
    @convention(c) (
      UnsafePointer<CChar>?, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?,
      UnsafeMutablePointer<Int32>?
    ) -> UnsafeMutablePointer<CChar>?

  /// Returns the demangled names of all names that can be demangled.
  ///
  /// The toolchain's demangler simplifies Swift names, without modules and types; the Swift runtime's
  /// longer names replace it if the tool is missing or fails. The Rust tool removes hashes; without it,
  /// legacy Rust names are demangled as C++ and v0 names stay mangled.
  func demangle(_ names: Set<String>) -> [String: String] {
    var result: [String: String] = [:]
    let lines = names.filter { !$0.utf8.contains(Self.newline) }
    let swift = lines.filter(isSwift).sorted()
    if let simplified = answers(of: tools.demangler, ["--simplified", "--compact"], to: swift) {
      for (name, text) in zip(swift, simplified) where name != text { result[name] = text }
    } else {
      for name in swift { result[name] = demangleSwift(name) }
    }
    for name in names where name.hasPrefix("_Z") { result[name] = demangleItanium(name) }
    let rust = lines.filter(isRust).sorted()
    let plain = answers(of: tools.rustDemangler, ["--no-verbose"], to: rust) ?? []
    for (name, text) in zip(rust, plain) where name != text { result[name] = text }
    return result
  }

  /// Returns the whole names of Swift functions, with modules and types.
  func signatures(of names: Set<String>) -> [String: String] {
    var result: [String: String] = [:]
    for name in names where isSwift(name) { result[name] = demangleSwift(name) }
    return result
  }

  private func isSwift(_ name: String) -> Bool {
    ["$s", "$S", "_$s", "_$S", "_T0", "$e"].contains { name.hasPrefix($0) }
  }

  /// Returns whether a name is a Rust name: `_R` and a path, or a legacy name with a hash at the end.
  private func isRust(_ name: String) -> Bool {
    if name.utf8.starts(with: "_R".utf8) {
      return name.utf8.dropFirst(2).first.map { (0x41...0x5A).contains($0) } ?? false
    }
    guard name.utf8.starts(with: "_ZN".utf8) else { return false }
    let bytes = Array(name.utf8)
    return bytes.indices.dropLast(19).contains { place in
      bytes[place...].starts(with: "17h".utf8) && bytes[place + 19] == UInt8(ascii: "E")
        && bytes[(place + 3)..<(place + 19)].allSatisfy {
          (0x30...0x39).contains($0) || (0x61...0x66).contains($0)
        }
    }
  }

  /// Returns a tool's answers to names, one line each; nil if there is no tool or it fails.
  private func answers(of tool: String?, _ arguments: [String], to names: [String]) -> [String]? {
    guard let tool, !names.isEmpty else { return names.isEmpty ? [] : nil }
    let text = names.map { $0 + "\n" }.joined()
    guard let answer = try? Tool(path: tool, arguments: arguments).run(text) else { return nil }
    let lines = answer.split(separator: Self.newline)
    return lines.count == names.count ? lines.map { String(decoding: $0, as: UTF8.self) } : nil
  }

  private func demangleSwift(_ name: String) -> String? {
    // The runtime exports this function for tools, without a declaration to import.
    guard let entry = dlsym(nil, "swift_demangle") else { return nil }
    let function = unsafeBitCast(entry, to: SwiftDemangle.self)
    guard let text = function(name, name.utf8.count, nil, nil, 0) else { return nil }
    defer { free(text) }
    return String(cString: text)
  }

  private func demangleItanium(_ name: String) -> String? {
    // The Swift runtime links the C++ runtime.
    guard let entry = dlsym(nil, "__cxa_demangle") else { return nil }
    let function = unsafeBitCast(entry, to: ItaniumDemangle.self)
    guard let text = function(name, nil, nil, nil) else { return nil }
    defer { free(text) }
    return compact(String(cString: text).utf8)
  }

  /// Returns a C++ name as llvm-symbolizer writes it: without a space in ">>" and "<<".
  private func compact(_ name: some Sequence<UInt8>) -> String {
    var bytes: [UInt8] = []
    for byte in name {
      let isAngle = byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">")
      if isAngle, bytes.suffix(2) == [byte, UInt8(ascii: " ")] { bytes.removeLast() }
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
