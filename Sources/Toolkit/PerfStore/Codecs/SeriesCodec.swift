/// The times and values of a series as a blob.
///
/// After the number of points follow each time as the distance from the previous one, and a byte
/// for the kind of values. Kind 1 is whole numbers: their greatest common divisor (4096 for
/// resident memory), then each quotient as the distance from the previous one. Kind 0 is doubles.
enum SeriesCodec {
  private static let version: UInt8 = 1

  static func encode(times: [UInt64], values: [Double]) -> [UInt8] {
    var writer = ByteWriter()
    writer.append(version)
    writer.appendVarint(UInt64(times.count))
    var previous: UInt64 = 0
    for time in times {
      writer.appendDelta(from: previous, to: time)
      previous = time
    }
    if let whole = wholeNumbers(values) {
      writer.append(1)
      let divisor = max(whole.reduce(0) { greatestCommonDivisor($0, $1.magnitude) }, 1)
      writer.appendVarint(divisor)
      var last: Int64 = 0
      for value in whole {
        let quotient = value / Int64(divisor)
        writer.appendZigzag(quotient - last)
        last = quotient
      }
    } else {
      writer.append(0)
      for value in values { writer.appendDouble(value) }
    }
    return writer.bytes
  }

  static func decode(_ bytes: [UInt8]) throws(BlobError) -> (times: [UInt64], values: [Double]) {
    var reader = ByteReader(bytes)
    let count = try reader.header(version: version, smallestElement: 2)
    var times: [UInt64] = []
    times.reserveCapacity(count)
    var previous: UInt64 = 0
    for _ in 0..<count {
      previous = try reader.delta(from: previous)
      times.append(previous)
    }
    var values: [Double] = []
    values.reserveCapacity(count)
    let kind = try reader.byte()
    switch kind {
    case 0:
      for _ in 0..<count { values.append(try reader.double()) }
    case 1:
      let divisor = Int64(bitPattern: try reader.varint())
      var last: Int64 = 0
      for _ in 0..<count {
        last &+= try reader.zigzag()
        values.append(Double(last &* divisor))
      }
    default: throw .unknownValueKind(kind)
    }
    try reader.finish()
    return (times, values)
  }

  /// Returns the values as integers if none has a fraction or is a negative zero, otherwise nil.
  private static func wholeNumbers(_ values: [Double]) -> [Int64]? {
    var whole: [Int64] = []
    whole.reserveCapacity(values.count)
    for value in values {
      guard abs(value) <= 9_007_199_254_740_992, value.rounded() == value,
        !(value == 0 && value.sign == .minus)
      else { return nil }
      whole.append(Int64(value))
    }
    return whole
  }

  private static func greatestCommonDivisor(_ first: UInt64, _ second: UInt64) -> UInt64 {
    var (larger, smaller) = (first, second)
    while smaller != 0 { (larger, smaller) = (smaller, larger % smaller) }
    return larger
  }
}
