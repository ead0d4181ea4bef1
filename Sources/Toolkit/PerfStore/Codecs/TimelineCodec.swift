internal import PerfModel

/// The samples of a launch by time as a blob, about 12 bytes a sample.
///
/// After the number of samples, each sample is: the distance of its time from the previous one, the
/// node, the thread, the thread's number in its process, a tag (the state plus 4 times the frame
/// class plus 16 times the phase), and 1 plus the CPU time since the thread's previous sample, or 0
/// for none. Format 2 adds the signpost; it is used when any sample is in a signpost.
enum TimelineCodec {
  private static let plain: UInt8 = 1
  private static let signposted: UInt8 = 2

  static func encode(_ moments: [Profile.Moment]) -> [UInt8] {
    let hasSignposts = moments.contains { $0.signpost != 0 }
    var writer = ByteWriter()
    writer.append(hasSignposts ? signposted : plain)
    writer.appendVarint(UInt64(moments.count))
    var previous: UInt64 = 0
    for moment in moments {
      writer.appendDelta(from: previous, to: moment.time)
      writer.appendVarint(UInt64(bitPattern: Int64(moment.node)))
      writer.appendVarint(UInt64(bitPattern: Int64(moment.thread)))
      writer.appendVarint(UInt64(bitPattern: Int64(moment.serial)))
      writer.appendVarint(
        UInt64(moment.state.rawValue) | UInt64(moment.frameClass.rawValue) << 2
          | UInt64(bitPattern: Int64(moment.phase)) << 4)
      writer.appendVarint(moment.cpu.map { min($0, .max - 1) + 1 } ?? 0)
      if hasSignposts { writer.appendVarint(UInt64(bitPattern: Int64(moment.signpost))) }
      previous = moment.time
    }
    return writer.bytes
  }

  static func decode(_ bytes: [UInt8]) throws(BlobError) -> [Profile.Moment] {
    var reader = ByteReader(bytes)
    let version = try reader.byte()
    guard version == plain || version == signposted else { throw .unknownVersion(version) }
    let hasSignposts = version == signposted
    // Each sample is six or seven numbers of at least one byte.
    let count = try reader.count(smallestElement: hasSignposts ? 7 : 6)
    var moments: [Profile.Moment] = []
    moments.reserveCapacity(count)
    var previous: UInt64 = 0
    for _ in 0..<count {
      let moment = try moment(from: &reader, after: previous, hasSignpost: hasSignposts)
      moments.append(moment)
      previous = moment.time
    }
    try reader.finish()
    return moments
  }

  private static func moment(
    from reader: inout ByteReader, after previous: UInt64, hasSignpost: Bool
  ) throws(BlobError) -> Profile.Moment {
    let time = try reader.delta(from: previous)
    let node = Int(truncatingIfNeeded: try reader.varint())
    let thread = Int(truncatingIfNeeded: try reader.varint())
    let serial = Int(truncatingIfNeeded: try reader.varint())
    let tag = try reader.varint()
    guard let state = Profile.State(rawValue: Int(tag & 3)), state.subject == .thread,
      let frameClass = Profile.FrameClass(rawValue: Int(tag >> 2 & 3))
    else { throw .unknownValueKind(UInt8(truncatingIfNeeded: tag)) }
    let cpu = try reader.varint()
    let signpost = hasSignpost ? Int(truncatingIfNeeded: try reader.varint()) : 0
    return Profile.Moment(
      time: time, node: node, thread: thread, serial: serial, phase: Int(tag >> 4),
      signpost: signpost, frameClass: frameClass, state: state, cpu: cpu == 0 ? nil : cpu - 1)
  }
}
