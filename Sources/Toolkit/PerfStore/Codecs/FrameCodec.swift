internal import PerfModel

/// The frames of a launch as a blob, about 15 bytes a frame.
///
/// After the number of frames, each frame is nine numbers that are usually small: index and slot
/// relative to the previous frame, the begin relative to the slot, CPU time relative to the cost,
/// and the change of overrun minus cost (the refresh period, if frames are regular) since the
/// previous frame.
enum FrameCodec {
  private static let version: UInt8 = 1

  static func encode(_ frames: [FrameRecord]) -> [UInt8] {
    var writer = ByteWriter()
    writer.append(version)
    writer.appendVarint(UInt64(frames.count))
    var last = Last()
    for frame in frames {
      let index = UInt64(bitPattern: Int64(frame.index))
      writer.appendDelta(from: last.index &+ 1, to: index)
      writer.appendVarint(UInt64(bitPattern: Int64(frame.interval)))
      writer.appendDelta(from: last.slot, to: frame.slot)
      writer.appendDelta(from: frame.slot, to: frame.began)
      writer.appendVarint(frame.cost)
      writer.appendDelta(from: frame.cost, to: frame.cpu)
      let slack = UInt64(bitPattern: frame.overrun) &- frame.cost
      writer.appendDelta(from: last.slack, to: slack)
      writer.appendVarint(frame.hitch)
      writer.appendVarint(UInt64(bitPattern: Int64(frame.missed)))
      last = Last(index: index, slot: frame.slot, slack: slack)
    }
    return writer.bytes
  }

  static func decode(_ bytes: [UInt8]) throws(BlobError) -> [FrameRecord] {
    var reader = ByteReader(bytes)
    let count = try reader.header(version: version, smallestElement: 9)
    var frames: [FrameRecord] = []
    frames.reserveCapacity(count)
    var last = Last()
    for _ in 0..<count {
      let index = try reader.delta(from: last.index &+ 1)
      let interval = try reader.varint()
      let slot = try reader.delta(from: last.slot)
      let began = try reader.delta(from: slot)
      let cost = try reader.varint()
      let cpu = try reader.delta(from: cost)
      let slack = try reader.delta(from: last.slack)
      let hitch = try reader.varint()
      let missed = try reader.varint()
      frames.append(
        FrameRecord(
          index: Int(truncatingIfNeeded: index), interval: Int(truncatingIfNeeded: interval),
          slot: slot, began: began, cost: cost, cpu: cpu,
          overrun: Int64(bitPattern: slack &+ cost), hitch: hitch,
          missed: Int(truncatingIfNeeded: missed)))
      last = Last(index: index, slot: slot, slack: slack)
    }
    try reader.finish()
    return frames
  }

  /// The values of the previous frame; the initial index makes index 0 the expected one.
  private struct Last {
    var index = UInt64.max
    var slot: UInt64 = 0
    var slack: UInt64 = 0
  }
}
