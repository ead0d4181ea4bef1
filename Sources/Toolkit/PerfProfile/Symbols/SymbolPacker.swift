internal import PerfModel

/// Encodes symbols as the bytes of `PackedSymbols`.
struct SymbolPacker {
  private var addresses: [UInt64] = []
  private var firsts: [UInt32] = []
  private var places: [PackedSymbols.Place] = []
  private var functions = Numbering<PackedSymbols.Function>()
  private var texts = Numbering<String>()

  /// Packs symbols together with earlier ones; new frames replace earlier ones at the same address.
  static func pack(
    _ symbols: [UInt64: [SymbolFrame]], onto earlier: PackedSymbols? = nil
  ) -> [UInt8] {
    var packer = SymbolPacker()
    var fresh = symbols.keys.sorted()[...]
    if var earlier {
      packer.take(&earlier)
      for index in 0..<earlier.addressCount {
        let address = earlier.address(index)
        while let next = fresh.first, next < address {
          packer.add(next, symbols[next] ?? [])
          fresh.removeFirst()
        }
        if fresh.first == address { continue }
        packer.addresses.append(address)
        packer.firsts.append(UInt32(packer.places.count))
        packer.places += earlier.places(ofAddress: index)
      }
    }
    for address in fresh { packer.add(address, symbols[address] ?? []) }
    return packer.bytes()
  }

  /// Copies functions and texts, which keep their numbers.
  private mutating func take(_ earlier: inout PackedSymbols) {
    for index in 0..<earlier.textCount {
      _ = texts.number(of: earlier.text(UInt32(index)) ?? "")
    }
    for index in 0..<earlier.functionCount {
      _ = functions.number(of: earlier.texts(ofFunction: index))
    }
  }

  private mutating func add(_ address: UInt64, _ frames: [SymbolFrame]) {
    addresses.append(address)
    firsts.append(UInt32(places.count))
    for frame in frames {
      places.append(
        PackedSymbols.Place(function: number(of: frame), line: UInt32(clamping: frame.line)))
    }
  }

  private mutating func number(of frame: SymbolFrame) -> UInt32 {
    let function = PackedSymbols.Function(
      name: number(of: frame.name), key: number(of: frame.key),
      signature: number(of: frame.signature), file: number(of: frame.file))
    return UInt32(functions.number(of: function))
  }

  private mutating func number(of text: String?) -> UInt32 {
    text.map { UInt32(texts.number(of: $0)) } ?? PackedSymbols.none
  }

  private func bytes() -> [UInt8] {
    var bytes: [UInt8] = []
    func append(_ number: some FixedWidthInteger) {
      withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }
    append(PackedSymbols.version)
    for count in [texts.all.count, functions.all.count, places.count, addresses.count] {
      append(UInt32(count))
    }
    for address in addresses { append(address) }
    for first in firsts { append(first) }
    append(UInt32(places.count))
    for place in places {
      append(place.function)
      append(place.line)
    }
    for function in functions.all {
      for text in [function.name, function.key, function.signature, function.file] { append(text) }
    }
    var end: UInt32 = 0
    for text in texts.all {
      end += UInt32(text.utf8.count)
      append(end)
    }
    for text in texts.all { bytes += text.utf8 }
    return bytes
  }
}
