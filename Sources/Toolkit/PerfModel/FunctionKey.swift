/// The part of a function's name that is the same in every build: no numbers of closures, hashes of
/// files and crates, or marks of the optimizer.
///
/// Two builds of one function have the same key, so their profiles can be compared. A closure
/// shares its key with the other closures of its function.
///
/// The search works on bytes, because all patterns are ASCII and profiles contain thousands of
/// names.
package enum FunctionKey {
  private typealias Bytes = ArraySlice<UInt8>

  /// The demangler's prefixes for functions that the compiler derived.
  private static let derivations = bytes([
    "specialized ", "merged ", "partial apply forwarder for ", "partial apply for ",
    "await resume partial function for ", "suspend resume partial function for ",
  ])
  private static let specializations = bytes([
    "generic specialization <", "function signature specialization <",
    "generic not re-abstracted specialization <",
  ])
  private static let numbered = bytes([") await resume", ") suspend resume"])
  /// Suffixes of clones; the numbers after some of them vary from build to build.
  private static let clones = bytes([
    ".cold", ".part.", ".constprop.", ".isra.", ".llvm.", ".resume.", ".lto_priv.", " [clone ",
    " (.cold", " (.part.", " (.constprop.", " (.isra.", " (.llvm.", " (.resume.",
  ])
  private static let endOfSpecialization = Array("> of ".utf8)
  private static let privateContext = Array(" in _".utf8)
  private static let rustHash = Array("::h".utf8)

  private static func bytes(_ texts: [String]) -> [[UInt8]] { texts.map { Array($0.utf8) } }

  /// Returns the key of a demangled name.
  package static func key(of name: String) -> String {
    var rest = Array(name.utf8)[...]
    while let shorter = withoutDerivation(rest) { rest = shorter }
    rest = withoutRustHash(withoutClone(rest))
    return String(decoding: withoutNumbers(rest), as: UTF8.self)
  }

  private static func withoutDerivation(_ name: Bytes) -> Bytes? {
    for prefix in derivations where name.starts(with: prefix) {
      return name.dropFirst(prefix.count)
    }
    for prefix in specializations where name.starts(with: prefix) {
      guard let place = firstPlace(of: endOfSpecialization, in: name) else { return nil }
      return name[(place + endOfSpecialization.count)...]
    }
    // Matches "(2) await resume partial function for ...".
    if name.first == UInt8(ascii: "(") {
      let rest = name.dropFirst().drop(while: isDigit)
      if numbered.contains(where: rest.starts) { return rest.dropFirst(2) }
    }
    return nil
  }

  /// Drops the first clone suffix and everything after it.
  private static func withoutClone(_ name: Bytes) -> Bytes {
    let (dot, space) = (UInt8(ascii: "."), UInt8(ascii: " "))
    let place = name.indices.dropFirst().first { place in
      (name[place] == dot || name[place] == space) && clones.contains(where: name[place...].starts)
    }
    return place.map { name[..<$0] } ?? name
  }

  /// Drops `::h` and 16 hexadecimal digits at the end.
  private static func withoutRustHash(_ name: Bytes) -> Bytes {
    let tail = name.suffix(19)
    guard tail.count == 19, tail.starts(with: rustHash),
      tail.dropFirst(3).allSatisfy(isHexadecimal)
    else { return name }
    return name.dropLast(19)
  }

  /// Drops numbers such as ` #1`, and ` in _0123...` of private declarations.
  private static func withoutNumbers(_ name: Bytes) -> [UInt8] {
    let space = UInt8(ascii: " ")
    var key: [UInt8] = []
    key.reserveCapacity(name.count)
    var rest = name
    while let byte = rest.first {
      if byte == UInt8(ascii: "#"), rest.dropFirst().first.map(isDigit) == true {
        rest = rest.dropFirst().drop(while: isDigit)
        if key.last == space { key.removeLast() }
        continue
      }
      if byte == space, rest.starts(with: privateContext) {
        let hash = rest.dropFirst(privateContext.count).prefix(while: isHexadecimal)
        if hash.count == 32 {
          rest = rest[hash.endIndex...]
          continue
        }
      }
      key.append(byte)
      rest = rest.dropFirst()
    }
    return key
  }

  private static func firstPlace(of pattern: [UInt8], in name: Bytes) -> Int? {
    name.indices.first { name[$0] == pattern[0] && name[$0...].starts(with: pattern) }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    isDigit(byte) || byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "f")
  }
}
