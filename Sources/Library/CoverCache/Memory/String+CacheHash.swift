extension String {
  /// A well-mixed hash of the UTF-8 bytes, eight of which are folded in by each multiplication.
  ///
  /// It is the same in every process, so that policies that remember and compare hashes decide
  /// alike in every launch. `Hasher` uses a random seed and is several times slower.
  ///
  /// Source: the construction of Wang Yi's wyhash.
  var cacheHash: UInt64 {
    utf8.withContiguousStorageIfAvailable { Self.hash(UnsafeRawBufferPointer($0)) }
      ?? Array(utf8).withUnsafeBytes { Self.hash($0) }
  }

  private static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    let secret: UInt64 = 0xA076_1D64_78BD_642F
    var hash = folded(UInt64(bytes.count) ^ 0xE703_7ED1_A0B4_28DB, secret)
    var offset = 0
    while offset + 8 <= bytes.count {
      hash = folded(hash ^ bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self), secret)
      offset += 8
    }
    var rest: UInt64 = 0
    if offset < bytes.count, bytes.count >= 8 {
      // The last eight bytes, some of which were hashed before.
      rest = bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self)
    } else {
      for index in offset..<bytes.count { rest = rest << 8 | UInt64(bytes[index]) }
    }
    return folded(hash ^ rest, 0x8EBC_6AF0_9C88_C6E3)
  }

  private static func folded(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let product = left.multipliedFullWidth(by: right)
    return product.high ^ product.low
  }
}
