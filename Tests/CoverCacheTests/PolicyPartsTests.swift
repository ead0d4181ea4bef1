import PerfTestSupport
import Testing

@testable import CoverCache

@Suite struct `a frequency sketch` {
  @Test func `a sketch never underestimates and rarely overestimates`() {
    var random = SampleRandom(seed: 3)
    var sketch = FrequencySketch()
    var counts: [UInt64: Int] = [:]
    let keys = (0..<2000).map { "\($0)".cacheHash }
    for _ in 0..<16_000 {
      let key = keys[Int.random(in: 0..<keys.count, using: &random)]
      counts[key, default: 0] += 1
      sketch.add(key, times: 1)
    }
    for key in keys { #expect(sketch.estimate(key) >= min(16, counts[key, default: 0])) }
    // Eight keys share a block of 32 counters a row, so (1 - (31/32)^7)^4 = 0.2 % of the keys share
    // all four counters with others.
    let excess = keys.count { sketch.estimate($0) > counts[$0, default: 0] }
    #expect(excess < 40)
  }

  @Test func `a sketch halves its counts at the sample size`() {
    var sketch = FrequencySketch()
    for _ in 0..<9 { sketch.add(1, times: 1) }
    #expect(sketch.estimate(1) == 9)
    // The first of 191 uses is noted in the doorkeeper, and the counter ends at its maximum 15.
    sketch.add(2, times: 191)
    #expect(sketch.estimate(2) == 16)
    sketch.age(sampleSize: 201)
    #expect(sketch.estimate(2) == 16)
    sketch.age(sampleSize: 200)
    // The doorkeeper forgets one use of each; 8 and 15 are halved.
    #expect(sketch.estimate(1) == 4)
    #expect(sketch.estimate(2) == 7)
    // Half of the 200 uses count towards the next sample.
    sketch.add(3, times: 99)
    sketch.age(sampleSize: 200)
    #expect(sketch.estimate(1) == 4)
    sketch.add(3, times: 1)
    sketch.age(sampleSize: 200)
    #expect(sketch.estimate(1) == 2)
  }

  @Test func `a key that is used once is forgotten with the sample`() {
    var sketch = FrequencySketch()
    sketch.add(1, times: 1)
    #expect(sketch.estimate(1) == 1)
    sketch.age(sampleSize: 1)
    #expect(sketch.estimate(1) == 0)
  }

  @Test func `growing a sketch keeps its estimates`() {
    var sketch = FrequencySketch()
    let keys = (0..<40).map { "\($0)".cacheHash }
    for (times, key) in keys.enumerated() { sketch.add(key, times: times % 15 + 1) }
    let before = keys.map { sketch.estimate($0) }
    sketch.grow(toEntries: 5000)
    #expect(keys.map { sketch.estimate($0) } == before)
  }
}

@Suite struct `a doorkeeper` {
  @Test func `a doorkeeper contains every inserted hash and rarely another`() {
    var random = SampleRandom(seed: 8)
    var doorkeeper = Doorkeeper(wordCount: 512)
    let hashes = (0..<2000).map { _ in random.next() as UInt64 }
    let new = hashes.prefix(1000).count { doorkeeper.insert($0) }
    doorkeeper.double()
    #expect(hashes.prefix(1000).allSatisfy { doorkeeper.contains($0) })
    // A block of 512 bits has 16 hashes, so a bit is set with probability 1 - (511/512)^64 = 12 %
    // and all four with 0.02 %; blocks with more hashes raise the mean to about 0.04 %.
    #expect(new >= 990)
    #expect(hashes.suffix(1000).count { doorkeeper.contains($0) } <= 10)
    doorkeeper.removeAll()
    #expect(!hashes.contains { doorkeeper.contains($0) })
  }
}

@Suite struct `a queue of ghosts` {
  @Test func `a ghost queue recognises the latest evictions`() {
    var ghosts = GhostQueue()
    for hash in 1...5 as ClosedRange<UInt64> { ghosts.append(hash, limit: 3) }
    let known = ([1, 2, 3, 4, 5, 5] as [UInt64]).map { ghosts.remove($0) }
    #expect(known == [false, false, true, true, true, false])
  }

  @Test func `keys that return make room in a ghost queue`() {
    var ghosts = GhostQueue()
    ghosts.append(0, limit: 3)
    // Each of many keys returns at once, so that 0 stays among the latest three.
    for hash in 1...100 as ClosedRange<UInt64> {
      ghosts.append(hash, limit: 3)
      let isKnown = ghosts.remove(hash)
      #expect(isKnown)
    }
    let isFirstKnown = ghosts.remove(0)
    #expect(isFirstKnown)
  }

  @Test func `a ghost queue stays within its limit`() {
    var ghosts = GhostQueue()
    for round in 0..<1000 as Range<UInt64> {
      ghosts.append(round % 7, limit: 4)
      if round.isMultiple(of: 3) { _ = ghosts.remove(round % 5) }
    }
    let known = (0..<7 as Range<UInt64>).count { ghosts.remove($0) }
    #expect(known <= 4)
  }
}

@Suite struct `a heap of slots` {
  @Test func `a slot heap returns the lowest slot, the first among equals`() {
    var random = SampleRandom(seed: 17)
    var heap = SlotHeap()
    // In order of insertion.
    var model: [(slot: Int, worth: Double)] = []
    for _ in 0..<5000 {
      switch Int.random(in: 0..<10, using: &random) {
      case ..<6:
        let slot = Int.random(in: 0..<60, using: &random)
        guard !model.contains(where: { $0.slot == slot }) else { continue }
        // Only a few values, so that some are equal.
        let worth = Double(Int.random(in: 0..<12, using: &random))
        heap.insert(slot, worth: worth)
        model.append((slot, worth))
      case ..<8:
        guard let index = model.indices.randomElement(using: &random) else { continue }
        heap.remove(model.remove(at: index).slot)
      default:
        let lowest = heap.removeLowest()
        let expected = model.indices.min { model[$0].worth < model[$1].worth }
        #expect(lowest?.slot == expected.map { model[$0].slot })
        #expect(lowest?.worth == expected.map { model[$0].worth })
        if let expected { model.remove(at: expected) }
      }
    }
  }
}

@Suite struct `the size-aware policy` {
  // 1,000 bytes for three large covers of 300 bytes, two of them used twice, and thumbnails of 20.
  @Test func `GDSF evicts large covers before small ones`() throws {
    let tier = MemoryPolicy.gdsf.makeTier(limits: TierLimits(bytes: 1000))
    for key in ["a", "b", "c"] {
      tier.insert(try gradient(75, 1), for: key)
      if key != "a" { #expect(tier.cover(for: key) != nil) }
    }
    for number in 0..<20 { tier.insert(try gradient(5, 1), for: "\(number)") }
    // Five thumbnails fit into the free 100 bytes; the other fifteen displace a, which was used
    // once.
    #expect(!tier.contains("a"))
    #expect(["b", "c"].allSatisfy { tier.contains($0) })
    // The next large cover displaces b, which was used before c, and no thumbnail.
    tier.insert(try gradient(75, 1), for: "d")
    #expect(["b", "c", "d"].map { tier.contains($0) } == [false, true, true])
    #expect((0..<20).allSatisfy { tier.contains("\($0)") })
  }

  @Test func `GDSF eventually evicts old favourites`() throws {
    let tier = MemoryPolicy.gdsf.makeTier(limits: TierLimits(count: 2))
    tier.insert(try gradient(5, 1), for: "favourite")
    for _ in 0..<5 { #expect(tier.cover(for: "favourite") != nil) }
    // The favourite's value is six uses. Each evicted cover raises the next one by a use, so the
    // sixth has the favourite's value and the seventh more.
    for number in 1...6 {
      tier.insert(try gradient(5, 1), for: "\(number)")
      #expect(tier.contains("favourite"))
    }
    tier.insert(try gradient(5, 1), for: "7")
    tier.insert(try gradient(5, 1), for: "8")
    #expect(!tier.contains("favourite"))
  }
}

@Suite struct `an index of keys` {
  @Test func `a key index finds the same slots as a dictionary`() {
    var random = SampleRandom(seed: 9)
    var index = KeyIndex()
    var dictionary: [UInt64: Int] = [:]
    for step in 0..<20_000 {
      // The hashes differ in only eight bits, so that they collide.
      let hash = UInt64(Int.random(in: 0..<200, using: &random)) << 32 | 0xFFFF_FFFF
      if let slot = dictionary[hash] {
        if random.chance(0.6) {
          index.remove(slot, hash: hash)
          dictionary[hash] = nil
        }
      } else {
        index.insert(step, hash: hash)
        dictionary[hash] = step
      }
      let asked = UInt64(Int.random(in: 0..<200, using: &random)) << 32
      #expect(index.slot(hash: asked) { _ in true } == dictionary[asked | 0xFFFF_FFFF])
    }
  }

  @Test func `a key index distinguishes keys with equal hashes`() {
    var index = KeyIndex()
    for slot in 0..<10 { index.insert(slot, hash: 42 << 32) }
    #expect(index.slot(hash: 42 << 32) { $0 == 7 } == 7)
    index.remove(3, hash: 42 << 32)
    #expect(index.slot(hash: 42 << 32) { $0 == 3 } == nil)
    #expect(index.slot(hash: 42 << 32) { $0 == 9 } == 9)
  }
}

@Suite struct `the hash of a key` {
  @Test func `the hash of a key depends on every byte and on the length`() {
    // Lengths around the words of eight bytes that the hash reads.
    for length in [0, 1, 7, 8, 9, 15, 16, 17, 40] {
      let key = [UInt8](repeating: 0x61, count: length)
      let hash = String(decoding: key, as: UTF8.self).cacheHash
      #expect(String(decoding: key + [0x61], as: UTF8.self).cacheHash != hash)
      for index in key.indices {
        var changed = key
        changed[index] = 0x62
        #expect(String(decoding: changed, as: UTF8.self).cacheHash != hash)
      }
    }
  }
}
