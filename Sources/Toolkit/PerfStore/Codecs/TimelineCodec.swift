internal import PerfModel

/// The samples of a launch by time as a blob, about 12 bytes a sample.
///
/// The number of samples; then for each its time as the distance from the one before, its node and
/// its thread. Format 2 goes on with the thread's number in its process; a tag, which is the state
/// plus four times the class of the frame plus sixteen times the phase; and the CPU time since the
/// thread's sample before plus 1, or 0 for none. Format 3, of launches with a sample in a signpost, goes
/// on with the signpost. Format 1, of the first version, has no details.
enum TimelineCodec {
  private static let bare: UInt8 = 1
  private static let detailed: UInt8 = 2
  private static let signposted: UInt8 = 3

  static func encode(_ moments: [Profile.Moment]) -> [UInt8] {
    // A launch knows the details of all of its samples or of none.
    let isDetailed = moments.allSatisfy { $0.detail != nil }
    let hasSignposts = isDetailed && moments.contains { $0.detail?.signpost != 0 }
    var writer = ByteWriter()
    writer.append(hasSignposts ? signposted : isDetailed ? detailed : bare)
    writer.appendVarint(UInt64(moments.count))
    var previous: UInt64 = 0
    for moment in moments {
      writer.appendDelta(from: previous, to: moment.time)
      writer.appendVarint(UInt64(bitPattern: Int64(moment.node)))
      writer.appendVarint(UInt64(bitPattern: Int64(moment.thread)))
      previous = moment.time
      guard isDetailed, let detail = moment.detail else { continue }
      writer.appendVarint(UInt64(bitPattern: Int64(detail.serial)))
      writer.appendVarint(
        UInt64(detail.state.rawValue) | UInt64(detail.frameClass.rawValue) << 2
          | UInt64(bitPattern: Int64(detail.phase)) << 4)
      writer.appendVarint(detail.cpu.map { min($0, .max - 1) + 1 } ?? 0)
      if hasSignposts { writer.appendVarint(UInt64(bitPattern: Int64(detail.signpost))) }
    }
    return writer.bytes
  }

  static func decode(_ bytes: [UInt8]) throws(BlobError) -> [Profile.Moment] {
    var reader = ByteReader(bytes)
    let version = try reader.byte()
    // By the version: numbers of a sample, each of at least a byte.
    guard let numbers = [bare: 3, detailed: 6, signposted: 7][version] else {
      throw .unknownVersion(version)
    }
    let count = try reader.count(smallestElement: numbers)
    var moments: [Profile.Moment] = []
    moments.reserveCapacity(count)
    var time: UInt64 = 0
    for _ in 0..<count {
      time = try reader.delta(from: time)
      let node = Int(truncatingIfNeeded: try reader.varint())
      let thread = Int(truncatingIfNeeded: try reader.varint())
      moments.append(
        .init(
          time: time, node: node, thread: thread,
          detail: version == bare
            ? nil : try detail(from: &reader, hasSignpost: version == signposted)))
    }
    try reader.finish()
    return moments
  }

  private static func detail(
    from reader: inout ByteReader, hasSignpost: Bool
  ) throws(BlobError) -> Profile.Moment.Detail {
    let serial = Int(truncatingIfNeeded: try reader.varint())
    let tag = try reader.varint()
    guard let state = Profile.State(rawValue: Int(tag & 3)), state.dimension == .time,
      let frameClass = Profile.FrameClass(rawValue: Int(tag >> 2 & 3))
    else { throw .unknownValueKind(UInt8(truncatingIfNeeded: tag)) }
    let cpu = try reader.varint()
    let signpost = hasSignpost ? Int(truncatingIfNeeded: try reader.varint()) : 0
    return .init(
      serial: serial, phase: Int(tag >> 4), signpost: signpost, frameClass: frameClass,
      state: state,
      cpu: cpu == 0 ? nil : cpu - 1)
  }
}
