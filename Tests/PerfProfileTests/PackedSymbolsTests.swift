import Testing

@testable import PerfProfile

struct PackedSymbolsTests {
  private let frames = [
    SymbolFrame(name: "näme", key: "k", file: nil, line: 0),
    SymbolFrame(name: "", key: "", signature: "s", file: "/a/b.swift", line: 4_000_000),
  ]

  private func unpack(_ packed: [UInt64: [UInt8]], _ address: UInt64) -> [SymbolFrame]? {
    packed[address]?.withUnsafeBytes(PackedSymbols.places)?.compactMap { place in
      packed[place.function]?.withUnsafeBytes(PackedSymbols.function)?.atLine(place.line)
    }
  }

  @Test func `what is packed is what is unpacked, each function once`() {
    let packed = PackedSymbols.pack([7: frames, 8: frames.map { $0.atLine(3) }, 9: []])
    #expect(unpack(packed, 7) == frames)
    #expect(unpack(packed, 8) == frames.map { $0.atLine(3) })
    #expect(unpack(packed, 9) == [])
    #expect(packed.count == 3 + frames.count)
  }

  @Test func `bytes that are cut off anywhere, or are of another version, are nothing`() throws {
    let packed = PackedSymbols.pack([7: frames])
    let places = try #require(packed[7])
    // A version, and 12 bytes a frame.
    for count in 0..<places.count where count % 12 != 1 {
      #expect(places[..<count].withUnsafeBytes(PackedSymbols.places) == nil, "\(count) bytes")
    }
    for (number, bytes) in packed where number != 7 {
      for count in 0..<bytes.count {
        #expect(bytes[..<count].withUnsafeBytes(PackedSymbols.function) == nil, "\(count) bytes")
      }
    }
    for other in [[], Array("[{}]".utf8)] {
      #expect(other.withUnsafeBytes(PackedSymbols.places) == nil)
      #expect(other.withUnsafeBytes(PackedSymbols.function) == nil)
    }
  }

  @Test func `texts of any length and none are told apart`() {
    for name in ["", "a", "ab", "abcdefgh", "abcdefghi", "näme"] {
      for file in [nil, "", "a", "/b.swift"] {
        let frame = SymbolFrame(name: name, key: "k", signature: file, file: file, line: 1)
        #expect(unpack(PackedSymbols.pack([1: [frame, frame]]), 1) == [frame, frame])
      }
    }
  }

  @Test func `a cache over bytes gives back what it was given`() {
    var kept: [String: [UInt64: [UInt8]]] = [:]
    let cache = PersistentSymbolCache(
      load: { id, addresses, visit in
        for address in addresses {
          if let bytes = kept[id]?[address] { visit(address, bytes) }
        }
      },
      save: { id, symbols in kept[id, default: [:]].merge(symbols) { _, new in new } })
    cache.store([7: frames], buildID: "ab")
    #expect(cache.symbols(buildID: "ab", addresses: [7, 8]) == [7: frames])
    #expect(cache.symbols(buildID: "cd", addresses: [7]).isEmpty)
    // Of what an earlier version wrote, and without its functions, nothing is known.
    kept["ab"]?[7] = [2, 0, 0]
    #expect(cache.symbols(buildID: "ab", addresses: [7]).isEmpty)
    cache.store([7: frames], buildID: "ab")
    kept["ab"] = kept["ab"]?.filter { $0.key == 7 }
    #expect(cache.symbols(buildID: "ab", addresses: [7]).isEmpty)
  }
}
