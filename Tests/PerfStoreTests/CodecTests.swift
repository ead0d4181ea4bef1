import PerfModel
import PerfTestSupport
import Testing

@testable import PerfStore

struct CodecTests {
  @Test(
    arguments: [
      (0, [0x00]), (1, [0x01]), (127, [0x7F]), (128, [0x80, 0x01]), (300, [0xAC, 0x02]),
      (UInt64.max, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]),
    ] as [(UInt64, [UInt8])])
  func `varints are encoded as LEB128`(value: UInt64, bytes: [UInt8]) throws {
    var writer = ByteWriter()
    writer.appendVarint(value)
    #expect(writer.bytes == bytes)
    var reader = ByteReader(bytes)
    #expect(try reader.varint() == value)
    try reader.finish()
  }

  // 0, -1, 1, -2, ... become 0, 1, 2, 3, ...: small magnitudes take one byte.
  @Test(arguments: [
    (0, 1), (-1, 1), (63, 1), (-64, 1), (64, 2), (-65, 2), (Int64.max, 10), (Int64.min, 10),
  ])
  func `signed numbers survive encoding, and small ones take few bytes`(value: Int64, length: Int)
    throws
  {
    var writer = ByteWriter()
    writer.appendZigzag(value)
    #expect(writer.bytes.count == length)
    var reader = ByteReader(writer.bytes)
    #expect(try reader.zigzag() == value)
  }

  @Test func `a number of more than 64 bits throws an error`() {
    var tooLong = ByteReader(Array(repeating: 0x80, count: 10) + [0x00])
    #expect(throws: BlobError.overlongNumber(at: 9)) { try tooLong.varint() }
    var tooLarge = ByteReader(Array(repeating: 0xFF, count: 9) + [0x02])
    #expect(throws: BlobError.overlongNumber(at: 9)) { try tooLarge.varint() }
  }

  @Test func `a count that exceeds the blob throws before memory is reserved`() {
    // Format 1 and 2^63 elements.
    let bytes: [UInt8] = [1] + Array(repeating: 0x80, count: 9) + [0x01]
    #expect(throws: BlobError.impossibleCount(1 << 63)) { try FrameCodec.decode(bytes) }
    #expect(throws: BlobError.impossibleCount(1 << 63)) { try SeriesCodec.decode(bytes) }
    #expect(throws: BlobError.impossibleCount(1 << 63)) { try TimelineCodec.decode(bytes) }
  }

  @Test func `an unknown format and left-over bytes throw errors`() {
    #expect(throws: BlobError.unknownVersion(9)) { try TimelineCodec.decode([9, 0]) }
    #expect(throws: BlobError.trailingBytes(1)) { try TimelineCodec.decode([1, 0, 0]) }
    #expect(throws: BlobError.truncated(at: 0)) { try TimelineCodec.decode([]) }
    #expect(throws: BlobError.unknownValueKind(7)) { try SeriesCodec.decode([1, 0, 7]) }
  }

  @Test(
    arguments: [
      [], [0], [4096, 8192, 4096 * 25_000], [-4096, 4096], [0.1, 0.2], [0, -0.0], [1, .nan],
      [.infinity, 1], [9_007_199_254_740_992, -9_007_199_254_740_992], [1e300, 5], [3, 5, 7],
    ] as [[Double]])
  func `values of a series keep every bit`(values: [Double]) throws {
    let times = values.indices.map { UInt64($0) &* 0x7000_0000_0000_0001 }
    let decoded = try SeriesCodec.decode(SeriesCodec.encode(times: times, values: values))
    #expect(decoded.times == times)
    #expect(decoded.values.map(\.bitPattern) == values.map(\.bitPattern))
  }

  @Test func `frames with extreme numbers survive encoding`() throws {
    var random = SampleRandom(seed: 5)
    let frames = (0..<500).map { _ in
      FrameRecord(
        index: Int(truncatingIfNeeded: random.next()),
        interval: Int(truncatingIfNeeded: random.next()),
        slot: random.next(), began: random.next(), cost: random.next(), cpu: random.next(),
        overrun: Int64(bitPattern: random.next()), hitch: random.next(),
        missed: Int(truncatingIfNeeded: random.next()))
    }
    #expect(try FrameCodec.decode(FrameCodec.encode(frames)) == frames)
    #expect(try FrameCodec.decode(FrameCodec.encode([])) == [])
  }

  @Test func `moments with extreme numbers survive encoding`() throws {
    var random = SampleRandom(seed: 7)
    let moments = (0..<500).map { index in
      Profile.Moment(
        time: random.next(), node: Int(truncatingIfNeeded: random.next()),
        thread: Int(truncatingIfNeeded: random.next()),
        serial: Int(truncatingIfNeeded: random.next()), phase: Int(random.next() >> 5),
        frameClass: Profile.FrameClass.allCases[index % 3],
        state: Profile.State.allCases[index / 3 % 3],
        cpu: index % 7 == 0 ? nil : random.next() >> 1)
    }
    #expect(TimelineCodec.encode(moments).first == 1)
    #expect(try TimelineCodec.decode(TimelineCodec.encode(moments)) == moments)
  }

  @Test func `signposts take a byte per sample only if a sample has one`() throws {
    let moments = [0, 1, 127].map { signpost in
      Profile.Moment(
        time: 1000, node: 3, thread: 0, serial: 1, phase: 2, signpost: signpost,
        frameClass: .onTime, state: .running, cpu: 900)
    }
    let plain = TimelineCodec.encode(Array(repeating: moments[0], count: 3))
    let marked = TimelineCodec.encode(moments)
    #expect(plain.first == 1)
    #expect(marked.first == 2)
    #expect(marked.count == plain.count + 3)
    #expect(try TimelineCodec.decode(marked) == moments)
    let extreme = [Int.max, Int.min, -1].map { signpost in
      Profile.Moment(
        time: .max, node: .min, thread: .max, serial: .min, phase: 0, signpost: signpost,
        frameClass: .none, state: .waiting, cpu: nil)
    }
    #expect(try TimelineCodec.decode(TimelineCodec.encode(extreme)) == extreme)
  }

  @Test func `spans with extreme numbers and names survive encoding`() throws {
    var random = SampleRandom(seed: 8)
    let names = ["", "decode", "größer", String(repeating: "x", count: 300)]
    let spans = (0..<500).map { index in
      Span(
        name: names[index % 4], kind: Span.Kind.allCases[index / 4 % 3],
        serial: Int(truncatingIfNeeded: random.next()), began: random.next(),
        duration: random.next())
    }
    #expect(try SpanCodec.decode(SpanCodec.encode(spans)) == spans)
    #expect(try SpanCodec.decode(SpanCodec.encode([])) == [])
  }

  @Test func `blobs stay below their documented sizes`() throws {
    let run = SampleRuns.run(launches: 1, warmup: 0, samples: 4000)
    let launch = run.launches[0]
    let moments = try #require(run.profile?.timeline[0])
    // A sample: 3 bytes of time (1 ms is 21 bits), 1 or 2 of node, 1 each of thread, serial and
    // tag, 3 or 4 of CPU time, 1 of the signpost.
    #expect(TimelineCodec.encode(moments).count < 4000 * 13)
    // A span: 1 byte each of name and thread, 3 or 4 each of begin and duration.
    #expect(SpanCodec.encode(launch.spans).count < launch.spans.count * 10 + 50)
    // A frame: nine numbers; cost, CPU time, slot and begin take 3 or 4 bytes each.
    #expect(FrameCodec.encode(launch.frames).count < launch.frames.count * 20)
    // Resident memory is whole pages: 1 or 2 bytes a value and 4 of time.
    let rss = launch.series[0]
    #expect(SeriesCodec.encode(times: rss.times, values: rss.values).count < rss.times.count * 7)
  }

  private static let blobs: [[UInt8]] = {
    let run = SampleRuns.run(variant: "naive", launches: 1, warmup: 0, samples: 60, fling: 1000)
    let launch = run.launches[0]
    return [
      FrameCodec.encode(launch.frames), TimelineCodec.encode(run.profile?.timeline[0] ?? []),
      SpanCodec.encode(launch.spans),
    ] + launch.series.map { SeriesCodec.encode(times: $0.times, values: $0.values) }
  }()

  private static func decodeAll(_ bytes: [UInt8]) -> [Bool] {
    [
      (try? FrameCodec.decode(bytes)) != nil, (try? TimelineCodec.decode(bytes)) != nil,
      (try? SpanCodec.decode(bytes)) != nil, (try? SeriesCodec.decode(bytes)) != nil,
    ]
  }

  @Test func `a truncated blob throws an error at every length`() {
    for (index, blob) in Self.blobs.enumerated() {
      for length in blob.indices {
        let start = Array(blob[..<length])
        #expect(Self.decodeAll(start)[min(index, 3)] == false, "\(index), \(length) bytes")
      }
    }
  }

  @Test func `damaged blobs and random bytes never trap`() {
    var random = SampleRandom(seed: 8)
    var accepted = 0
    for blob in Self.blobs {
      for _ in 0..<1000 {
        var damaged = blob
        for _ in 0...(random.next() % 4) {
          damaged[Int(random.next() % UInt64(damaged.count))] = UInt8(random.next() % 256)
        }
        accepted += Self.decodeAll(damaged).count { $0 }
      }
    }
    for _ in 0..<2000 {
      let length = Int(random.next() % 64)
      let garbage = (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      // A valid format gets the decoder past the first byte.
      accepted += Self.decodeAll([1] + garbage).count { $0 }
      accepted += Self.decodeAll([2] + garbage).count { $0 }
    }
    // A changed digit of a number is another valid number, so some inputs are decoded.
    #expect(accepted > 0)
  }
}
