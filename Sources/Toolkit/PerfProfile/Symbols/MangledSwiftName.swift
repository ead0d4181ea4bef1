/// A name of Swift as linkers know it, as far as one must look into it to know how much it stands for.
///
/// It refers to parts of itself by `A` and letters, and these to others (swift/docs/ABI/Mangling.rst,
/// "Substitutions"), so that each reference may double the text: a name of 200 bytes may stand for gigabytes.
struct MangledSwiftName {
  /// Most bytes that an operator adds, as the longest of the standard library's own types.
  private static let operatorBytes = 24

  private let bytes: [UInt8]
  private var place = 0
  /// How much there is with everything written out.
  private var size = 0
  /// How much there was when a larger number than before was met.
  private var parts: [(number: Int, size: Int)] = []
  /// The most bytes that an identifier has so far.
  private var longest = 0
  /// Whether all references so far are what they look like, and no part of a source's name.
  private var isCertain = true

  init(_ name: String) {
    bytes = Array(name.utf8)
  }

  /// Whether it has at most some bytes with everything written out that it refers to; false also for those of
  /// which that cannot be told.
  ///
  /// What a reference adds is no more than there was when a part with its number, or a later one, was first
  /// referred to: parts are numbered as they end. Of 126,000 names of Swift's own libraries it holds for all but
  /// 4 % at two million; what they really have is 2000 at most.
  ///
  /// - Complexity: O(*n*).
  func isExpanded(within limit: Int) -> Bool {
    var name = self
    while name.place < bytes.count, name.size <= limit {
      switch bytes[name.place] {
      case UInt8(ascii: "A"): name.takeReferences(limit: limit)
      case UInt8(ascii: "I"):
        // A type of functions as the optimiser has them, with letters of all kinds up to "_".
        name.isCertain = false
        name.takeOperator()
      case UInt8(ascii: "0")...UInt8(ascii: "9"): name.takeIdentifier()
      default: name.takeOperator()
      }
    }
    return name.size <= limit
  }

  private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

  private mutating func takeOperator() {
    size += Self.operatorBytes
    place += 1
  }

  /// Passes a number; one that is larger than anything it could count is as good as any other.
  private mutating func takeNumber() -> Int {
    var number = 0
    while let digit = next, digit.isDigit {
      number = min(number * 10 + Int(digit - UInt8(ascii: "0")), 1 << 32)
      place += 1
    }
    return number
  }

  /// Passes an identifier.
  ///
  /// It is "0" and letters for words that were there before, then what is new of it, behind how many bytes that has.
  /// Anything else that begins so, as numbers before "_", may be one or not, and is looked through.
  private mutating func takeIdentifier() {
    let begin = place
    var hasWords = false
    if next == UInt8(ascii: "0") {
      place += 1
      hasWords = next != UInt8(ascii: "0")
      if !hasWords { place += 1 }
    }
    repeat {
      while hasWords, let letter = next, letter.isLetter {
        size += isCertain ? longest : bytes.count
        hasWords = letter.isLowercase
        place += 1
      }
      if next == UInt8(ascii: "0") {
        place += 1
        return
      }
      let count = takeNumber()
      guard count > 0, next != UInt8(ascii: "_"), count <= bytes.count - place else {
        isCertain = false
        place = begin
        return takeOperator()
      }
      size += count
      longest = max(longest, count)
      place += count
    } while hasWords
  }

  /// Whether the letter here may be the second or third one of an operator, as in `fA`, `TA`, `SA` and `ScA`.
  private var mayBeInOperator: Bool {
    let before = bytes[..<place].suffix(2)
    return before.last.map { "fTMWHXYOZS".utf8.contains($0) } ?? true
      || before.elementsEqual("Sc".utf8)
  }

  /// Takes references, the last of which is a capital, or a number before "_".
  ///
  /// Each may be repeated as often as a number before it says. Where that is no more than it looks like, a capital A
  /// may be the next one's begin.
  private mutating func takeReferences(limit: Int) {
    if mayBeInOperator { isCertain = false }
    place += 1
    while size <= limit, let letter = next {
      if letter.isDigit {
        let count = takeNumber()
        guard next != UInt8(ascii: "_") else {
          refer(to: 27 + count)
          return
        }
        guard let letter = next, letter.isLetter else { return }
        var repeats = max(1, count)
        while repeats > 1, size <= limit {
          refer(to: letter.index)
          repeats -= 1
        }
      } else if letter == UInt8(ascii: "_") {
        refer(to: 26)
        place += 1
        return
      } else if letter.isLetter {
        refer(to: letter.index)
        guard letter.isLowercase else {
          if isCertain || letter != UInt8(ascii: "A") { place += 1 }
          return
        }
        place += 1
      } else {
        return
      }
    }
  }

  private mutating func refer(to number: Int) {
    var added = size
    if isCertain {
      if let part = parts.first(where: { $0.number >= number }) {
        added = part.size
      } else {
        parts.append((number, size))
      }
    }
    size += max(added, Self.operatorBytes)
  }
}

extension UInt8 {
  fileprivate var isDigit: Bool { (0x30...0x39).contains(self) }
  fileprivate var isLowercase: Bool { (0x61...0x7A).contains(self) }
  fileprivate var isLetter: Bool { isLowercase || (0x41...0x5A).contains(self) }
  /// Of a letter, its place in the alphabet.
  fileprivate var index: Int { Int(self | 0x20) - 0x61 }
}
