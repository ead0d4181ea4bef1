internal import Glibc

/// Turns mangled names into names for people, many at a time.
struct Demangler {
  /// The path of `swift-demangle`, or nil.
  let path: String?

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

  /// Returns the demangled names of those that are mangled and can be.
  ///
  /// Swift names come out simplified, without modules and types, by the toolchain's demangler; by
  /// the runtime's own, longer, where that is missing or fails.
  func demangle(_ names: Set<String>) -> [String: String] {
    var result: [String: String] = [:]
    let swift = names.filter { isSwift($0) && !$0.utf8.contains(Self.newline) }.sorted()
    if let simplified = simplify(swift) {
      for (name, text) in zip(swift, simplified) where name != text { result[name] = text }
    } else {
      for name in swift { result[name] = demangleSwift(name) }
    }
    for name in names where name.hasPrefix("_Z") { result[name] = demangleItanium(name) }
    return result
  }

  /// Returns the whole name of a Swift function, with modules and types; nil for others.
  func signature(of name: String) -> String? {
    isSwift(name) ? demangleSwift(name) : nil
  }

  private func isSwift(_ name: String) -> Bool {
    ["$s", "$S", "_$s", "_$S", "_T0", "$e"].contains { name.hasPrefix($0) }
  }

  private func simplify(_ names: [String]) -> [String]? {
    guard let path, !names.isEmpty else { return names.isEmpty ? [] : nil }
    let tool = Tool(path: path, arguments: ["--simplified", "--compact"])
    guard let answer = try? tool.run(names.map { $0 + "\n" }.joined()) else { return nil }
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
    // llvm-symbolizer, which names other files of the same run, has no space in ">>" and "<<".
    var bytes: [UInt8] = []
    for byte in String(cString: text).utf8 {
      let isAngle = byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">")
      if isAngle, bytes.suffix(2) == [byte, UInt8(ascii: " ")] { bytes.removeLast() }
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
