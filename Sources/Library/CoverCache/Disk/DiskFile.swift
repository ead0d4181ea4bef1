/// The file format of the disk tier: a header, the key, the bytes.
///
/// All numbers are little-endian: 8 bytes of magic, a checksum (8 bytes) of everything that
/// follows, the key's length (4 bytes), the key, the bytes. The file name is a hash of the key, so
/// keys may hold any bytes. The key is stored because two keys may share a hash.
enum DiskFile {
  private static let magic = Array("COVERS1\n".utf8)
  private static let headerBytes = 20

  /// Returns the file name of a key: 16 hexadecimal digits and a suffix.
  static func name(of key: String) -> String {
    let digits = String(checksum(key.utf8), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits + suffix
  }

  /// The suffix of every file name of the tier.
  static let suffix = ".cover"

  static func encode(_ bytes: [UInt8], key: String) -> [UInt8] {
    let keyBytes = Array(key.utf8)
    var file: [UInt8] = []
    file.reserveCapacity(size(of: bytes, key: key))
    file += magic
    append(0 as UInt64, to: &file)
    append(UInt32(keyBytes.count), to: &file)
    file += keyBytes
    file += bytes
    let sum = checksum(file[16...])
    for index in 0..<8 { file[8 + index] = UInt8(truncatingIfNeeded: sum >> (8 * index)) }
    return file
  }

  static func size(of bytes: [UInt8], key: String) -> Int {
    headerBytes + key.utf8.count + bytes.count
  }

  /// Returns the bytes of a file; nil when the file is damaged or belongs to another key.
  static func decode(_ file: [UInt8], key: String) -> [UInt8]? {
    guard let content = decode(file), content.key.elementsEqual(key.utf8) else { return nil }
    return Array(content.bytes)
  }

  /// Returns the key and the bytes of a file; nil when the file is damaged.
  static func decode(_ file: [UInt8]) -> (key: ArraySlice<UInt8>, bytes: ArraySlice<UInt8>)? {
    guard file.count >= headerBytes, file.starts(with: magic) else { return nil }
    guard number(file[8..<16]) == checksum(file[16...]) else { return nil }
    let end = headerBytes + Int(number(file[16..<headerBytes]))
    guard end <= file.count else { return nil }
    return (file[headerBytes..<end], file[end...])
  }

  /// Returns the 64-bit FNV-1a hash, which detects accidents but no attacks.
  ///
  /// Source: Fowler, Noll, Vo; RFC 9923.
  static func checksum(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  private static func append(_ value: some FixedWidthInteger, to file: inout [UInt8]) {
    withUnsafeBytes(of: value.littleEndian) { file.append(contentsOf: $0) }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
