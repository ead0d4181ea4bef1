/// A hash that is the same in every process, for names of folders and for checksums of files.
///
/// It detects accidents. It does not resist deliberate collisions.
public enum StableHash {
  /// Returns FNV-1a of 64 bits as 16 hexadecimal digits (Fowler, Noll, Vo, draft-eastlake-fnv).
  public static func text(of string: String) -> String { text(of: string.utf8) }

  /// Returns FNV-1a of 64 bits of bytes as 16 hexadecimal digits.
  public static func text(of bytes: some Sequence<UInt8>) -> String {
    let hash = bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { hash, byte in
      (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
    }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
