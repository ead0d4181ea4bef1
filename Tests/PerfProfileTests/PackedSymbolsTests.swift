import Testing

@testable import PerfProfile

struct PackedSymbolsTests {
  private let frames = [
    SymbolFrame(name: "näme", key: "k", file: nil, line: 0),
    SymbolFrame(name: "", key: "", signature: "s", file: "/a/b.swift", line: 4_000_000),
  ]

  private func unpack(_ bytes: some Sequence<UInt8>) -> [SymbolFrame]? {
    Array(bytes).withUnsafeBytes(PackedSymbols.unpack)
  }

  @Test func `what is packed is what is unpacked`() {
    #expect(unpack(PackedSymbols.pack(frames)) == frames)
    #expect(unpack(PackedSymbols.pack([])) == [])
  }

  @Test func `bytes that are cut off anywhere, or are of another version, are nothing`() {
    let bytes = PackedSymbols.pack(frames)
    // The first frame ends after 27 bytes: 1 + 4 + 4 x 4 + 5 (ä has two) + 1.
    for count in 2..<bytes.count where count != 27 {
      #expect(unpack(bytes[..<count]) == nil, "\(count) bytes")
    }
    #expect(unpack("[{}]".utf8) == nil)
    #expect(unpack([]) == nil)
  }

  @Test func `texts of any length and none are told apart`() {
    let texts = ["", "a", "ab", "abcdefgh", "abcdefghi", "näme"]
    for line in 0..<3 {
      for name in texts {
        for file in [nil, "", "a", "/b.swift"] {
          let frame = SymbolFrame(name: name, key: "k", signature: file, file: file, line: line)
          let bytes = PackedSymbols.pack([frame, frame])
          #expect(unpack(bytes) == [frame, frame])
        }
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
  }
}
