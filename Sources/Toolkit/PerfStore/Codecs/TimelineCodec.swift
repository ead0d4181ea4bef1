internal import PerfModel

/// The samples of a launch by time as a blob, about 6 bytes a sample.
///
/// Format 1: the number of samples; then for each its time as the distance from the one before, its
/// node and its thread.
enum TimelineCodec {
  private static let version: UInt8 = 1

  static func encode(_ moments: [Profile.Moment]) -> [UInt8] {
    var writer = ByteWriter()
    writer.append(version)
    writer.appendVarint(UInt64(moments.count))
    var previous: UInt64 = 0
    for moment in moments {
      writer.appendDelta(from: previous, to: moment.time)
      writer.appendVarint(UInt64(bitPattern: Int64(moment.node)))
      writer.appendVarint(UInt64(bitPattern: Int64(moment.thread)))
      previous = moment.time
    }
    return writer.bytes
  }

  static func decode(_ bytes: [UInt8]) throws(BlobError) -> [Profile.Moment] {
    var reader = ByteReader(bytes)
    let count = try reader.header(version: version, smallestElement: 3)
    var moments: [Profile.Moment] = []
    moments.reserveCapacity(count)
    var time: UInt64 = 0
    for _ in 0..<count {
      time = try reader.delta(from: time)
      let node = Int(truncatingIfNeeded: try reader.varint())
      let thread = Int(truncatingIfNeeded: try reader.varint())
      moments.append(.init(time: time, node: node, thread: thread))
    }
    try reader.finish()
    return moments
  }
}
