/// A name of C++ as linkers know it, as far as one must look into it to know how much it stands for.
///
/// It refers to parts of itself (Itanium C++ ABI, 5.1.10), and these to others, so that each reference may double
/// the text: a name of 100 bytes may stand for terabytes.
struct MangledName {
  /// A reference from `S` or `T` up to `_`.
  private struct Reference {
    let place: Int
    let end: Int
    let isParameter: Bool
    /// The number of what it refers to; of parameters any that tells them apart.
    let number: Int
    /// Whether it is what it looks like: no part of a source's name, nor of an operator that ends in S.
    let isCertain: Bool
  }

  private let bytes: [UInt8]

  init(_ name: String) {
    bytes = Array(name.utf8)
  }

  /// Whether it has at most some bytes with everything written out that it refers to; false also for those of
  /// which that cannot be told.
  ///
  /// What a reference adds is no more than there was when a part with its number, or a later one, was first
  /// referred to: parts are numbered as they end. Where names of functions are within each other, the same
  /// parameter may be of either, and it is no more than there is. A pack is expanded to as many as there are bytes.
  ///
  /// Of 360,000 names of LLVM, clang, Swift and libstdc++ it holds for all but 3 % at half a million; what
  /// they really have is 20,000 at most.
  func isExpanded(within limit: Int) -> Bool {
    let references = references()
    let hasParameters = references.contains(where: \.isParameter)
    // The parameters of a conversion's target stand behind it.
    if hasParameters && count("cv") > 0 { return false }
    let isNested = hasParameters && bytes.count { $0 == UInt8(ascii: "Z") } > 1
    var size = 0
    var place = 0
    /// How much there was when a larger number than before was met.
    var parts: [(number: Int, size: Int)] = []
    var parameters: [Int: Int] = [:]
    for reference in references {
      size += reference.place - place
      place = reference.end
      var added = size
      if isNested || !reference.isCertain {
        // No more than there is.
      } else if reference.isParameter {
        added = parameters[reference.number] ?? size
        parameters[reference.number] = added
      } else if let part = parts.first(where: { $0.number >= reference.number }) {
        added = part.size
      } else {
        parts.append((reference.number, size))
      }
      size += added
      if size > limit { return false }
    }
    size += bytes.count - place
    for _ in 0..<(hasParameters ? count("Dp") + count("sp") : 0) where size <= limit {
      size *= bytes.count
    }
    return size <= limit
  }

  /// Finds what may be a reference.
  ///
  /// Each that is one ends at an underscore, and so does one of these.
  private func references() -> [Reference] {
    var found: [Reference] = []
    let ends = numberEnds()
    var place = 0
    /// Where the longest source's name ends that any digits so far may begin.
    var sourceEnd = 0
    while place < bytes.count {
      let isParameter = bytes[place] == UInt8(ascii: "T")
      guard isParameter || bytes[place] == UInt8(ascii: "S"), ends[place + 1] >= 0 else {
        sourceEnd = max(sourceEnd, self.sourceEnd(from: place))
        place += 1
        continue
      }
      let end = ends[place + 1]
      let digits = bytes[(place + 1)..<end]
      let isCertain =
        place >= sourceEnd
        && (isParameter ? isCertainParameter(place, digits) : isCertainPart(place, digits))
      found.append(
        Reference(
          place: place, end: end + 1, isParameter: isParameter, number: Self.number(digits),
          isCertain: isCertain))
      // What looks like its number may begin a source's name.
      if !isCertain {
        sourceEnd = digits.indices.reduce(sourceEnd) { max($0, self.sourceEnd(from: $1)) }
      }
      place = end + 1
    }
    return found
  }

  /// Whether `T` is no end of decltype's `DT`, which a source's name may follow.
  private func isCertainParameter(_ place: Int, _ digits: ArraySlice<UInt8>) -> Bool {
    !(place > 0 && bytes[place - 1] == UInt8(ascii: "D")) && digits.allSatisfy(Self.isDigit)
  }

  /// Whether `S` is no end of an operator (=, <<= and >>= are aS, lS and rS), nor of a type's name (TS).
  private func isCertainPart(_ place: Int, _ digits: ArraySlice<UInt8>) -> Bool {
    let (s, t) = (UInt8(ascii: "S"), UInt8(ascii: "T"))
    let isEnd =
      place > 0
      && [UInt8(ascii: "a"), UInt8(ascii: "l"), UInt8(ascii: "r"), t].contains(
        bytes[place - 1])
    return !isEnd && !digits.contains(s) && !digits.contains(t)
  }

  /// Where the underscore is that ends a number which begins somewhere; negative where none does.
  private func numberEnds() -> [Int] {
    var ends = [Int](repeating: -1, count: bytes.count + 1)
    for place in bytes.indices.reversed() {
      if bytes[place] == UInt8(ascii: "_") {
        ends[place] = place
      } else if Self.isDigit(bytes[place]) || (0x41...0x5A).contains(bytes[place]) {
        ends[place] = ends[place + 1]
      }
    }
    return ends
  }

  /// Where a source's name ends whose length begins somewhere; 0 where none does.
  private func sourceEnd(from start: Int) -> Int {
    if start > 0, Self.isDigit(bytes[start - 1]) { return 0 }
    var (end, length) = (start, 0)
    while end < bytes.count, Self.isDigit(bytes[end]) {
      length = min(length * 10 + Int(bytes[end] - 0x30), bytes.count)
      end += 1
    }
    return length == 0 ? 0 : end + length
  }

  private func count(_ code: String) -> Int {
    let code = Array(code.utf8)
    return bytes.indices.dropLast().count { bytes[$0] == code[0] && bytes[$0 + 1] == code[1] }
  }

  /// The number that is written to the base 36, and one more: the first part has none.
  private static func number(_ digits: ArraySlice<UInt8>) -> Int {
    if digits.isEmpty { return 0 }
    return digits.reduce(0) { sum, digit in
      let value = isDigit(digit) ? digit - 0x30 : digit - 0x41 + 10
      return sum > 1 << 40 ? sum : sum * 36 + Int(value)
    } + 1
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
