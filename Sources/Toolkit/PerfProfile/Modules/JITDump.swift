/// A file in which a JIT compiler tells where its functions are (tools/perf/Documentation/
/// jitdump-specification.txt of Linux).
enum JITDump {
  private static let magic: UInt32 = 0x4A69_5444
  /// The kinds of records: a function was loaded, or moved.
  private static let (load, move): (UInt32, UInt32) = (0, 1)
  /// Bytes of a record of a loaded function before its name, and of a moved one.
  private static let (loadBytes, moveBytes) = (56, 64)

  /// Returns whether a path is the name of such a file, `jit-PID.dump`.
  static func isName(_ path: String) -> Bool {
    let name = path.split(separator: "/").last ?? ""
    guard name.hasPrefix("jit-"), name.hasSuffix(".dump") else { return false }
    let digits = name.dropFirst(4).dropLast(5)
    return !digits.isEmpty && digits.allSatisfy(\.isNumber)
  }

  /// Returns the functions of a file in its order; those before the first damage if it is damaged.
  static func functions(of path: String) -> [GeneratedCode.Function] {
    guard let memory = try? ImageMemory(path: path) else { return [] }
    return functions(in: ByteReader(bytes: memory.bytes))
  }

  static func functions(in reader: ByteReader) -> [GeneratedCode.Function] {
    guard reader.load(0) == magic, let first: UInt32 = reader.load(8), first >= 40 else {
      return []
    }
    var functions: [GeneratedCode.Function] = []
    // The names by the number of the code.
    var names: [UInt64: String] = [:]
    var place = Int(first)
    while let kind: UInt32 = reader.load(place), let bytes: UInt32 = reader.load(place + 4),
      bytes >= 16, Int(bytes) <= reader.bytes.count - place
    {
      if kind == load, bytes > loadBytes, let low: UInt64 = reader.load(place + 32),
        let size: UInt64 = reader.load(place + 40), let number: UInt64 = reader.load(place + 48),
        let name = reader.text(place + loadBytes, shorterThan: Int(bytes) - loadBytes)
      {
        names[number] = name
        functions.append(.init(low: low, high: low.addingClamped(size), name: name))
      } else if kind == move, bytes >= moveBytes, let low: UInt64 = reader.load(place + 40),
        let size: UInt64 = reader.load(place + 48), let number: UInt64 = reader.load(place + 56),
        let name = names[number]
      {
        functions.append(.init(low: low, high: low.addingClamped(size), name: name))
      }
      place += Int(bytes)
    }
    return functions
  }
}
