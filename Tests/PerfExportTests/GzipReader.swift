import Testing

/// Reads gzip files of stored blocks, following RFC 1951 and 1952 and not the writer's code.
enum GzipReader {
  static func content(of file: [UInt8]) throws -> [UInt8] {
    try #require(file.starts(with: [0x1F, 0x8B, 8, 0]))
    var position = 10
    var content: [UInt8] = []
    var isLast = false
    while !isLast {
      // One bit marks the last block, two bits its kind; 0 is stored.
      isLast = file[position] == 1
      try #require(file[position] <= 1)
      let length = Int(file[position + 1]) | Int(file[position + 2]) << 8
      let complement = Int(file[position + 3]) | Int(file[position + 4]) << 8
      try #require(length ^ complement == 0xFFFF)
      content += file[(position + 5)..<(position + 5 + length)]
      position += 5 + length
    }
    try #require(file.count == position + 8)
    let size = file[(position + 4)...].enumerated().reduce(0) {
      $0 | Int($1.element) << ($1.offset * 8)
    }
    try #require(size == content.count)
    return content
  }
}
