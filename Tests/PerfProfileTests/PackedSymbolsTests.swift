import PerfTestSupport
import Testing

@testable import PerfProfile

struct PackedSymbolsTests {
  private let frames = [
    SymbolFrame(name: "näme", key: "k", file: nil, line: 0),
    SymbolFrame(name: "", key: "", signature: "s", file: "/a/b.swift", line: 4_000_000),
  ]

  private func unpack(_ bytes: [UInt8], _ addresses: [UInt64]) -> [[SymbolFrame]?]? {
    var packed = PackedSymbols(bytes)
    return packed?.frames(at: addresses)
  }

  @Test func `packed symbols are unpacked unchanged, with each text and function stored once`() {
    var other = frames
    for index in other.indices { other[index].line = 3 }
    let bytes = SymbolPacker.pack([7: frames, 8: other, 9: [], .max: frames])
    #expect(
      unpack(bytes, [.max, 7, 6, 8, 9, 10, 0]) == [frames, frames, nil, other, [], nil, nil])
    let packed = PackedSymbols(bytes)
    #expect(packed?.addressCount == 4)
    #expect(packed?.functionCount == 2)
    // "näme", "k", "", "s" and "/a/b.swift": the second name and its key are equal.
    #expect(packed?.textCount == 5)
  }

  @Test func `symbols packed onto earlier ones replace and extend them`() {
    let first = SymbolPacker.pack([1: frames, 3: frames, 5: []])
    let other = [SymbolFrame(name: "k", key: "k", file: nil, line: 9)]
    let bytes = SymbolPacker.pack([0: other, 3: other, 5: frames, 6: []], onto: .init(first))
    #expect(
      unpack(bytes, Array(0...6)) == [other, frames, nil, other, nil, frames, []])
    #expect(PackedSymbols(bytes)?.functionCount == 3)
    // Packing the same symbols twice changes nothing.
    #expect(SymbolPacker.pack([5: frames], onto: .init(bytes)) == bytes)
  }

  @Test func `an empty set of symbols can be packed`() {
    let bytes = SymbolPacker.pack([:])
    #expect(unpack(bytes, [1]) == [nil])
    #expect(unpack(SymbolPacker.pack([1: frames], onto: .init(bytes)), [1]) == [frames])
  }

  @Test func `truncated bytes and bytes of another version are rejected`() throws {
    let bytes = SymbolPacker.pack([7: frames, 8: []])
    for count in bytes.indices {
      #expect(PackedSymbols(Array(bytes[..<count])) == nil, "\(count) bytes")
    }
    #expect(PackedSymbols(bytes + [0]) == nil)
    #expect(PackedSymbols([3] + bytes.dropFirst()) == nil)
    #expect(PackedSymbols(Array("[{}]".utf8)) == nil)
  }

  @Test(arguments: 1...4) func `bytes with wrong numbers are rejected or readable`(seed: UInt64) {
    let bytes = SymbolPacker.pack([7: frames, 8: frames.reversed(), 1 << 40: []])
    var random = SampleRandom(seed: seed)
    var sound = 0
    for _ in 0..<2000 {
      var broken = bytes
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let place = broken.indices.randomElement(using: &random) ?? 0
        broken[place] = [0, 1, 2, 127, 255].randomElement(using: &random) ?? 0
      }
      var packed = PackedSymbols(broken)
      guard let found = packed?.frames(at: [7, 8, 1 << 40]) else { continue }
      sound += 1
      #expect(found.count == 3)
      _ = SymbolPacker.pack([9: frames], onto: packed)
    }
    #expect(sound > 0 && sound < 2000)
  }

  @Test func `texts of any length, and missing texts, are distinguished`() {
    for name in ["", "a", "ab", "abcdefgh", "abcdefghi", "näme"] {
      for file in [nil, "", "a", "/b.swift"] {
        let frame = SymbolFrame(name: name, key: "k", signature: file, file: file, line: 1)
        #expect(unpack(SymbolPacker.pack([1: [frame, frame]]), [1]) == [[frame, frame]])
      }
    }
  }

  @Test func `a cache in a byte store returns the stored symbols`() {
    var kept: [String: [UInt8]] = [:]
    let cache = SymbolCache(
      load: { ids, visit in
        for (place, id) in ids.enumerated() {
          if let bytes = kept[id] { visit(place, bytes) }
        }
      },
      change: { ids, change in
        for id in ids { kept[id] = change(id, kept[id]) }
      })
    cache.store(["ab": [7: frames], "ef": [1: []]])
    cache.store(["ab": [9: []]])
    // Copies of a file have the same build id.
    #expect(
      cache.symbols([("ab", [7, 8]), ("cd", [7]), ("ab", [9])])
        == [[frames, nil], [nil], [[]]])
    #expect(cache.symbols([]).isEmpty)
    // Bytes of an earlier version are unknown until they are replaced.
    kept["ab"] = [3, 0, 0]
    #expect(cache.symbols([("ab", [7])]) == [[nil]])
    cache.store(["ab": [7: frames]])
    #expect(cache.symbols([("ab", [7, 9])]) == [[frames, nil]])
    #expect(kept.keys.sorted() == ["ab", "ef"])
  }

  @Test func `a failing store knows no symbols and is asked again`() {
    struct Failure: Error {}
    let cache = SymbolCache(
      load: { _, _ in throw Failure() }, change: { _, _ in throw Failure() })
    cache.store(["ab": [7: frames]])
    #expect(cache.symbols([("ab", [7])]) == [[nil]])
  }
}
