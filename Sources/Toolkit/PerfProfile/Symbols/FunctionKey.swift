/// A function's name without what changes from build to build: numbers of closures, hashes of
/// files and crates, and what the optimiser made of it.
///
/// Two builds of one function get one key, so that a difference between them can be told; a closure
/// shares its key with the other closures of its function.
enum FunctionKey {
  /// What the demangler puts before the name of a function that the compiler derived.
  private static let derivations = [
    "specialized ", "merged ", "partial apply forwarder for ", "partial apply for ",
    "await resume partial function for ", "suspend resume partial function for ",
  ]
  private static let specializations = [
    "generic specialization <", "function signature specialization <",
    "generic not re-abstracted specialization <",
  ]
  /// Suffixes of clones; the number that follows some of them is not the same in each build.
  private static let clones = [
    ".cold", ".part.", ".constprop.", ".isra.", ".llvm.", ".resume.", ".lto_priv.", " [clone ",
    " (.cold", " (.part.", " (.constprop.", " (.isra.", " (.llvm.", " (.resume.",
  ]

  /// Returns the key of a demangled name.
  static func key(of name: String) -> String {
    var rest = Substring(name)
    while let shorter = withoutDerivation(rest) { rest = shorter }
    for clone in clones {
      if let range = rest.firstRange(of: clone), range.lowerBound > rest.startIndex {
        rest = rest[..<range.lowerBound]
      }
    }
    return withoutNumbers(withoutRustHash(rest))
  }

  private static func withoutDerivation(_ name: Substring) -> Substring? {
    for prefix in derivations where name.hasPrefix(prefix) { return name.dropFirst(prefix.count) }
    for prefix in specializations where name.hasPrefix(prefix) {
      guard let end = name.firstRange(of: "> of ") else { return nil }
      return name[end.upperBound...]
    }
    // "(2) await resume partial function for ..."
    if name.first == "(" {
      let rest = name.dropFirst().drop(while: \.isNumber)
      if rest.hasPrefix(") await resume") || rest.hasPrefix(") suspend resume") {
        return rest.dropFirst(2)
      }
    }
    return nil
  }

  /// Drops `::h` and 16 hexadecimal digits at the end.
  private static func withoutRustHash(_ name: Substring) -> Substring {
    let tail = name.suffix(19)
    guard tail.count == 19, tail.hasPrefix("::h"), tail.dropFirst(3).allSatisfy(\.isHexDigit)
    else { return name }
    return name.dropLast(19)
  }

  /// Drops `#1` with the space before it, and ` in _0123...` of private declarations.
  private static func withoutNumbers(_ name: Substring) -> String {
    var key = ""
    key.reserveCapacity(name.utf8.count)
    var rest = name
    while let character = rest.first {
      if character == "#", rest.dropFirst().first?.isNumber == true {
        rest = rest.dropFirst().drop(while: \.isNumber)
        if key.last == " " { key.removeLast() }
      } else if character == " ", rest.hasPrefix(" in _") {
        let hash = rest.dropFirst(5).prefix(while: \.isHexDigit)
        if hash.count == 32 {
          rest = rest[hash.endIndex...]
        } else {
          key.append(rest.removeFirst())
        }
      } else {
        key.append(rest.removeFirst())
      }
    }
    return key
  }
}
