import CoverCache
import Foundation
import PerfTestSupport
import Testing

@Suite struct `a colour profile` {
  let decoder = JPEGDecoder()

  // MARK: - Profiles

  /// Returns a signed number with 16 fractional bits.
  private static func fixed(_ value: Double) -> [UInt8] {
    bigEndian(Int((value * 65_536).rounded()), bytes: 4)
  }

  private static func tag(_ type: String, _ content: [UInt8]) -> [UInt8] {
    Array(type.utf8) + [0, 0, 0, 0] + content
  }

  private static func xyz(_ values: [Double]) -> [UInt8] { tag("XYZ ", values.flatMap(fixed)) }

  private static func gamma(_ value: Int) -> [UInt8] {
    tag("curv", bigEndian(1, bytes: 4) + bigEndian(value, bytes: 2))
  }

  /// sRGB's curve as a parametric curve of kind 3: IEC 61966-2-1.
  private static let curve = tag(
    "para", [0, 3, 0, 0] + [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045].flatMap(fixed))

  private static func name(_ name: String) -> [UInt8] {
    tag("desc", bigEndian(name.utf8.count + 1, bytes: 4) + Array(name.utf8) + [0])
  }

  private static func profile(_ space: String, _ tags: [(String, [UInt8])]) -> [UInt8] {
    var table = bigEndian(tags.count, bytes: 4)
    var content: [UInt8] = []
    for (name, bytes) in tags {
      let start = 128 + 4 + 12 * tags.count + content.count
      table += Array(name.utf8) + bigEndian(start, bytes: 4) + bigEndian(bytes.count, bytes: 4)
      content += bytes + Array(repeating: 0, count: (4 - bytes.count % 4) % 4)
    }
    let size = 128 + table.count + content.count
    let header =
      bigEndian(size, bytes: 4) + Array(repeating: 0, count: 8) + Array("mntr\(space)XYZ ".utf8)
      + Array(repeating: 0, count: 12) + Array("acsp".utf8) + Array(repeating: 0, count: 88)
    return header + table + content
  }

  private static func rgb(_ title: String, _ primaries: [[Double]], _ curve: [UInt8]) -> [UInt8] {
    profile(
      "RGB ",
      [("desc", name(title))] + zip(["r", "g", "b"], primaries).map { ("\($0)XYZ", xyz($1)) }
        + ["r", "g", "b"].map { ("\($0)TRC", curve) })
  }

  /// Primaries of D50: columns of the profiles of Apple, of Adobe and of the ICC.
  private static let displayP3 = rgb(
    "Display P3",
    [[0.51512, 0.24120, -0.00105], [0.29198, 0.69225, 0.04189], [0.15710, 0.06657, 0.78407]], curve)
  private static let adobeRGB = rgb(
    "Adobe RGB (1998)",
    [[0.60974, 0.31111, 0.01947], [0.20528, 0.62567, 0.06087], [0.14919, 0.06322, 0.74457]],
    gamma(563))
  private static let standard = rgb(
    "IEC 61966-2-1",
    [[0.43607, 0.22249, 0.01392], [0.38515, 0.71687, 0.09708], [0.14307, 0.06061, 0.71410]], curve)

  private static func parts(_ profile: [UInt8], _ count: Int = 1) -> [UInt8] {
    let size = (profile.count + count - 1) / count
    return (0..<count).flatMap { index in
      let part = profile.dropFirst(index * size).prefix(size)
      return segment(
        0xE2, Array("ICC_PROFILE\0".utf8) + [UInt8(index + 1), UInt8(count)] + part)
    }
  }

  /// Returns a file of one colour, which has no loss but rounding.
  private func file(_ colour: RGBA, _ profile: [UInt8], parts: Int = 1) throws -> [UInt8] {
    try JPEGEncoder(quality: 100).encode(try solid(32, 32, colour)).adding(
      Self.parts(profile, parts))
  }

  // MARK: - Conversion

  struct Case: CustomTestStringConvertible {
    let profile: [UInt8]
    let name: String
    let stored: (UInt8, UInt8, UInt8)
    let shown: (UInt8, UInt8, UInt8)

    var testDescription: String { "\(name) \(stored)" }
  }

  /// Expected colours by the matrices of CSS Color 4, 10.5 (to linear sRGB of D65), and the curves.
  private static let cases = [
    Case(profile: displayP3, name: "Display P3", stored: (200, 100, 50), shown: (215, 93, 31)),
    Case(profile: displayP3, name: "Display P3", stored: (60, 180, 90), shown: (0, 183, 78)),
    Case(profile: displayP3, name: "Display P3", stored: (20, 40, 160), shown: (12, 41, 167)),
    Case(
      profile: adobeRGB, name: "Adobe RGB (1998)", stored: (200, 100, 50), shown: (227, 100, 42)),
    Case(
      profile: adobeRGB, name: "Adobe RGB (1998)", stored: (100, 150, 200), shown: (66, 151, 203)),
    Case(
      profile: adobeRGB, name: "Adobe RGB (1998)", stored: (120, 120, 120), shown: (121, 121, 121)),
  ]

  @Test(arguments: cases, [1, 3])
  func `colours of a wide gamut are converted to sRGB`(_ wide: Case, parts: Int) throws {
    let stored = RGBA(red: wide.stored.0, green: wide.stored.1, blue: wide.stored.2)
    let shown = RGBA(red: wide.shown.0, green: wide.shown.1, blue: wide.shown.2)
    let bytes = try file(stored, wide.profile, parts: parts)
    #expect(try decoder.header(of: bytes, cover: "w").profile == .converted(name: wide.name))
    let box = PixelSize(width: 20, height: 20)
    let upload = try UploadPreparation().prepare(bytes, name: "w")
    #expect(try decoder.header(of: upload, cover: "w").profile == .standard)
    // JPEG's rounding of 1 level in luma and chroma is up to 4 levels in steep parts of a curve.
    for picture in [
      try decoder.decode(bytes, cover: "w"), try decoder.decode(bytes, fitting: box, cover: "w"),
      try decoder.decodeMosaic(bytes, cover: "w"),
      try decoder.decodePlanes(bytes, cover: "w").coarsePicture(),
      try decoder.decode(upload, cover: "w"),
    ] {
      #expect(picture[2, 2].distance(to: shown) <= 5, "\(picture[2, 2])")
    }
  }

  @Test func `a profile of sRGB changes no pixel`() throws {
    let plain = try JPEGEncoder().encode(try gradient(64, 64))
    let bytes = plain.adding(Self.parts(Self.standard))
    #expect(try decoder.header(of: bytes, cover: "s").profile == .standard)
    let expected = try decoder.decode(plain, cover: "s")
    #expect(largestDifference(try decoder.decode(bytes, cover: "s"), expected) == 0)
  }

  @Test func `a grey profile is converted by its curve`() throws {
    // The light of 128 of 255 is 0.502 by an identical curve; sRGB's sample for it is 188.
    let linear = Self.profile(
      "GRAY", [("desc", Self.name("linear")), ("kTRC", Self.tag("curv", [0, 0, 0, 0]))])
    let plain = JPEGFixture.grey.bytes
    let bytes = plain.adding(Self.parts(linear))
    #expect(try decoder.header(of: bytes, cover: "g").profile == .converted(name: "linear"))
    let (old, new) = (
      try decoder.decode(plain, cover: "g"), try decoder.decode(bytes, cover: "g")
    )
    for (x, y) in [(0, 0), (12, 10), (23, 23)] {
      let light = Double(old[x, y].red) / 255
      let sample =
        light <= 0.0031308 ? 12.92 * light * 255 : 255 * (1.055 * pow(light, 1 / 2.4) - 0.055)
      #expect(abs(Double(new[x, y].red) - sample) <= 1.5)
      #expect(new[x, y].red == new[x, y].blue)
    }
  }

  // MARK: - Profiles that are not converted

  @Test func `a profile that cannot be converted is reported and changes no pixel`() throws {
    let table = Self.profile(
      "RGB ", [("desc", Self.name("scanner")), ("A2B0", Self.tag("mft2", [3, 3, 33, 0]))])
    let inks = Self.profile("CMYK", [("desc", Self.name("Coated FOGRA39"))])
    let grey = Self.profile("GRAY", [("desc", Self.name("dots")), ("kTRC", Self.gamma(448))])
    let cases: [(JPEGFixture, [UInt8], String, String)] = [
      (.full, table, "scanner", "lookup tables"), (.cmyk, inks, "Coated FOGRA39", "CMYK"),
      (.full, grey, "dots", "grey"),
      (.full, Array(Self.displayP3.prefix(100)), "unknown", "damaged"),
    ]
    for (fixture, profile, name, reason) in cases {
      let bytes = fixture.bytes.adding(Self.parts(profile))
      let use = try decoder.header(of: bytes, cover: "f").profile
      guard case .ignored(name, let text) = use else {
        Issue.record("\(use)")
        continue
      }
      #expect(text.contains(reason))
      #expect(use.description.contains("not converted"))
      let plain = try decoder.decode(fixture.bytes, cover: "f")
      #expect(largestDifference(try decoder.decode(bytes, cover: "f"), plain) == 0)
    }
  }

  @Test func `a missing or repeated part makes a profile damaged`() throws {
    let parts = (1...3).map { number in
      segment(
        0xE2,
        Array("ICC_PROFILE\0".utf8) + [UInt8(number), 3]
          + Self.displayP3.dropFirst((number - 1) * 150).prefix(number == 3 ? 10_000 : 150))
    }
    let damaged = ColorProfileUse.ignored(name: "unknown", reason: "the profile is damaged")
    for (order, use) in [
      ([0, 1, 2], ColorProfileUse.converted(name: "Display P3")),
      ([2, 0, 1], .converted(name: "Display P3")), ([0, 2], damaged), ([0, 1, 1, 2], damaged),
    ] {
      let bytes = JPEGFixture.full.bytes.adding(order.flatMap { parts[$0] })
      #expect(try decoder.header(of: bytes, cover: "f").profile == use, "\(order)")
    }
  }

  @Test(arguments: [displayP3, adobeRGB])
  func `a damaged profile gives a picture of the same size`(profile: [UInt8]) throws {
    let plain = JPEGFixture.full.bytes
    for count in profile.indices {
      let bytes = plain.adding(Self.parts(Array(profile.prefix(count))))
      #expect(try decoder.decode(bytes, cover: "f").width == 24)
    }
    var random = SampleRandom(seed: 5)
    for _ in 0..<1_000 {
      var damaged = profile
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        damaged[Int.random(in: 0..<damaged.count, using: &random)] =
          UInt8.random(in: 0...255, using: &random)
      }
      let bytes = plain.adding(Self.parts(damaged))
      #expect(try decoder.decode(bytes, cover: "f").width == 24)
    }
  }
}
