internal import Glibc

/// An ICC profile of a display or a working space: three primaries and their curves.
///
/// Every read is checked against the end of the profile.
///
/// Source: ICC.1:2022, 7.2 (header), 7.3 (tags), 10.6 and 10.18 (curves), 10.31 (XYZ).
struct ICCProfile {
  /// The kinds of components that a profile describes.
  enum Space {
    case rgb
    case grey
    case other
  }

  let space: Space
  private let bytes: [UInt8]
  private var tags: [String: Range<Int>] = [:]
  private static let headerBytes = 128

  /// Reads the header and the table of tags; nil when they are damaged.
  init?(_ bytes: [UInt8]) {
    self.bytes = bytes
    func text(_ offset: Int) -> String {
      String(decoding: bytes[offset..<offset + 4], as: UTF8.self)
    }
    guard bytes.count >= Self.headerBytes + 4, text(36) == "acsp" else { return nil }
    switch (text(16), text(20)) {
    case ("RGB ", "XYZ "): space = .rgb
    case ("GRAY", "XYZ "): space = .grey
    default: space = .other
    }
    guard let count = number(at: Self.headerBytes, bytes: 4), count <= bytes.count / 12
    else { return nil }
    for index in 0..<count {
      let entry = Self.headerBytes + 4 + 12 * index
      guard let offset = number(at: entry + 4, bytes: 4),
        let size = number(at: entry + 8, bytes: 4),
        offset + size <= bytes.count
      else { return nil }
      tags[text(entry)] = offset..<offset + size
    }
  }

  /// The profile's description, or "unknown".
  var name: String {
    guard let tag = tags["desc"] else { return "unknown" }
    let characters: [UInt8]
    switch type(of: tag) {
    case "desc":
      let start = tag.lowerBound + 12
      guard let count = number(at: tag.lowerBound + 8, bytes: 4), start + count <= tag.upperBound
      else { return "unknown" }
      characters = Array(bytes[start..<start + count])
    case "mluc":
      guard let count = number(at: tag.lowerBound + 20, bytes: 4),
        let offset = number(at: tag.lowerBound + 24, bytes: 4),
        offset + count <= tag.count
      else { return "unknown" }
      // UTF-16 with the high byte first; names of profiles are ASCII in practice.
      characters = bytes[tag.lowerBound + offset..<tag.lowerBound + offset + count].filter {
        $0 != 0
      }
    default: return "unknown"
    }
    let printable = characters.prefix(64).filter { (0x20..<0x7F).contains($0) }
    return printable.isEmpty ? "unknown" : String(decoding: printable, as: UTF8.self)
  }

  /// Returns a colour in CIE XYZ of white point D50; nil when the tag is missing or damaged.
  func colour(_ name: String) -> SIMD3<Float>? {
    guard let tag = tags[name], tag.count >= 20, type(of: tag) == "XYZ ",
      let x = fixed(at: tag.lowerBound + 8), let y = fixed(at: tag.lowerBound + 12),
      let z = fixed(at: tag.lowerBound + 16)
    else { return nil }
    return SIMD3(x, y, z)
  }

  /// Returns the light, 0 to 1, of the samples 0 to 255; nil when the tag is missing or damaged.
  func curve(_ name: String) -> [Float]? {
    guard let tag = tags[name], let light = light(of: tag) else { return nil }
    return (0..<256).map { sample in
      let value = light(Float(sample) / 255)
      return value.isNaN ? 0 : min(1, max(0, value))
    }
  }

  // MARK: - Curves

  private func light(of tag: Range<Int>) -> ((Float) -> Float)? {
    switch type(of: tag) {
    case "curv": sampled(tag)
    case "para": parametric(tag)
    default: nil
    }
  }

  private func sampled(_ tag: Range<Int>) -> ((Float) -> Float)? {
    guard let count = number(at: tag.lowerBound + 8, bytes: 4), 12 + 2 * count <= tag.count
    else { return nil }
    let values = (0..<count).compactMap { number(at: tag.lowerBound + 12 + 2 * $0, bytes: 2) }
    switch count {
    case 0: return { $0 }
    case 1:
      let gamma = Float(values[0]) / 256
      return { pow($0, gamma) }
    default:
      return { sample in
        let place = sample * Float(count - 1)
        let index = min(count - 2, Int(place))
        let part = place - Float(index)
        return (Float(values[index]) * (1 - part) + Float(values[index + 1]) * part) / 65_535
      }
    }
  }

  private func parametric(_ tag: Range<Int>) -> ((Float) -> Float)? {
    let counts = [1, 3, 4, 5, 7]
    guard let kind = number(at: tag.lowerBound + 8, bytes: 2), kind < counts.count,
      12 + 4 * counts[kind] <= tag.count
    else { return nil }
    let given = (0..<counts[kind]).compactMap { fixed(at: tag.lowerBound + 12 + 4 * $0) }
    let p = given + Array(repeating: 0, count: 7 - given.count)
    let (gamma, a, b, c, d, e, f) = (p[0], p[1], p[2], p[3], p[4], p[5], p[6])
    func power(_ base: Float) -> Float { pow(max(0, base), gamma) }
    switch kind {
    case 0: return power
    case 1: return { power(a * $0 + b) }
    case 2: return { power(a * $0 + b) + c }
    case 3: return { $0 >= d ? power(a * $0 + b) : c * $0 }
    default: return { $0 >= d ? power(a * $0 + b) + e : c * $0 + f }
    }
  }

  // MARK: - Numbers

  private func type(of tag: Range<Int>) -> String {
    tag.count < 4
      ? "" : String(decoding: bytes[tag.lowerBound..<tag.lowerBound + 4], as: UTF8.self)
  }

  /// Returns an unsigned number, the high byte first; nil beyond the end of the profile.
  private func number(at offset: Int, bytes count: Int) -> Int? {
    guard offset <= bytes.count - count else { return nil }
    return bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
  }

  /// Returns a signed number with 16 fractional bits.
  private func fixed(at offset: Int) -> Float? {
    number(at: offset, bytes: 4).map { Float(Int32(truncatingIfNeeded: $0)) / 65_536 }
  }
}
