internal import Glibc

/// Turns mangled names into names for people, many at a time.
struct Demangler {
  /// Those that demangle.
  let tools: ToolPaths

  private static let newline = UInt8(ascii: "\n")
  /// Bytes that a name of C++ may have with everything written out to be demangled by ourselves.
  ///
  /// The longest of LLVM, clang and Swift come to 20,000.
  private static let mostBytes = 1 << 19
  /// Likewise of Swift, of which less is known before.
  private static let mostSwiftBytes = 1 << 21
  /// What a tool may take for others, in bytes of memory and in seconds, and how often until nobody is
  /// asked any more.
  private static let toolBytes = 64 << 20
  private static let toolSeconds = 2
  private static let mostFailures = 3

  private typealias SwiftDemangle =
    @convention(c) (
      UnsafePointer<CChar>?, Int, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?, UInt32
    ) -> UnsafeMutablePointer<CChar>?
  private typealias ItaniumDemangle =
    @convention(c) (
      UnsafePointer<CChar>?, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?,
      UnsafeMutablePointer<Int32>?
    ) -> UnsafeMutablePointer<CChar>?

  /// Returns the demangled names of those that are mangled and can be.
  ///
  /// Swift names come out simplified, without modules and types, by the toolchain's demangler; by
  /// the runtime's own, longer, where that is missing or fails. Rust names come out without hashes by
  /// their tool; without one, the older ones as C++ would have them, and the newer ones not at all.
  /// Names of C++ and of Swift that may stand for far more than they have bytes are left to a tool that can be
  /// stopped.
  func demangle(_ names: Set<String>) -> [String: String] {
    var result: [String: String] = [:]
    let lines = names.filter { !$0.utf8.contains(Self.newline) }
    let (swift, largeSwift) = swiftNames(in: lines)
    let simplified = answers(of: tools.demangler, ["--simplified", "--compact"], to: swift)
    if let simplified {
      for (name, text) in zip(swift, simplified) where name != text { result[name] = text }
    } else {
      for name in swift { result[name] = demangleSwift(name) }
    }
    result.merge(
      demangleLarge(largeSwift, by: tools.demangler, ["--simplified", "--compact"])
    ) { first, _ in first }
    let itanium = names.filter { $0.hasPrefix("_Z") }
    var large: [String] = []
    for name in itanium {
      if MangledName(name).isExpanded(within: Self.mostBytes) {
        result[name] = demangleItanium(name)
      } else {
        large.append(name)
      }
    }
    let compacted = demangleLarge(large.sorted(), by: tools.rustDemangler, ["--no-verbose"])
    result.merge(compacted.mapValues { compact($0.utf8) }) { first, _ in first }
    let rust = lines.filter(isRust).sorted()
    let plain = answers(of: tools.rustDemangler, ["--no-verbose"], to: rust) ?? []
    for (name, text) in zip(rust, plain) where name != text { result[name] = text }
    return result
  }

  /// Returns the whole names of Swift functions, with modules and types.
  func signatures(of names: Set<String>) -> [String: String] {
    let (small, large) = swiftNames(in: names)
    // As the runtime has them.
    var result = demangleLarge(large, by: tools.demangler, ["--compact", "--no-sugar"])
    for name in small { result[name] = demangleSwift(name) }
    return result
  }

  /// The names of Swift among others, and those of them that may stand for far more than they have bytes.
  private func swiftNames(in names: Set<String>) -> (small: [String], large: [String]) {
    let swift = names.filter(isSwift).sorted()
    let isSmall = swift.map { MangledSwiftName($0).isExpanded(within: Self.mostSwiftBytes) }
    return (
      zip(swift, isSmall).filter(\.1).map(\.0), zip(swift, isSmall).filter { !$1 }.map(\.0)
    )
  }

  private func isSwift(_ name: String) -> Bool {
    ["$s", "$S", "_$s", "_$S", "_T0", "$e"].contains { name.hasPrefix($0) }
  }

  /// Whether a name is of Rust: `_R` and a path, or C++'s way of old with a hash at the end.
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

  /// What a tool makes of names, a line each; nil when there is none, or it fails.
  private func answers(of tool: String?, _ arguments: [String], to names: [String]) -> [String]? {
    guard let tool, !names.isEmpty else { return names.isEmpty ? [] : nil }
    let text = names.map { $0 + "\n" }.joined()
    guard let answer = try? Tool(path: tool, arguments: arguments).run(text) else { return nil }
    let lines = answer.split(separator: Self.newline)
    return lines.count == names.count ? lines.map { String(decoding: $0, as: UTF8.self) } : nil
  }

  private func demangleSwift(_ name: String) -> String? {
    // The entry point that the runtime keeps for tools; it has no declaration to import.
    guard let entry = dlsym(nil, "swift_demangle") else { return nil }
    let function = unsafeBitCast(entry, to: SwiftDemangle.self)
    guard let text = function(name, name.utf8.count, nil, nil, 0) else { return nil }
    defer { free(text) }
    return String(cString: text)
  }

  private func demangleItanium(_ name: String) -> String? {
    // The Swift runtime brings the C++ runtime with it.
    guard let entry = dlsym(nil, "__cxa_demangle") else { return nil }
    let function = unsafeBitCast(entry, to: ItaniumDemangle.self)
    guard let text = function(name, nil, nil, nil) else { return nil }
    defer { free(text) }
    return compact(String(cString: text).utf8)
  }

  /// Demangles names by a tool, and leaves those out at which it does not come to an end.
  private func demangleLarge(
    _ names: [String], by path: String?, _ arguments: [String]
  ) -> [String: String] {
    var result: [String: String] = [:]
    guard let path else { return result }
    let tool = Tool(
      path: path, arguments: arguments, timeout: Self.toolSeconds, memoryBytes: Self.toolBytes)
    var left = names.filter { !$0.utf8.contains(Self.newline) }[...]
    for _ in 0..<Self.mostFailures where !left.isEmpty {
      let question = left.map { $0 + "\n" }.joined()
      guard let (answer, failure) = try? tool.attempt(question) else { break }
      // Behind the last line's end is nothing, or what it could not finish.
      let lines = answer.split(separator: Self.newline, omittingEmptySubsequences: false).dropLast()
      for (name, line) in zip(left, lines)
      where line.count <= Self.mostBytes && !name.utf8.elementsEqual(line) {
        result[name] = String(decoding: line, as: UTF8.self)
      }
      left = left.dropFirst(lines.count + 1)
      if failure == nil { break }
    }
    return result
  }

  /// Returns a name of C++ as llvm-symbolizer writes it, which names other files of the same run: it
  /// has no space in ">>" and "<<".
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
