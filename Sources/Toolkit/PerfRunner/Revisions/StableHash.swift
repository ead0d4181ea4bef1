/// A hash that is the same in every process, for names of folders.
enum StableHash {
  /// Returns FNV-1a of 64 bits as 16 hexadecimal digits (Fowler, Noll, Vo, draft-eastlake-fnv).
  static func text(of string: String) -> String {
    let hash = string.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { hash, byte in
      (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
    }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
