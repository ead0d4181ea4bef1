/// The frames at addresses of one module, read from its file and its debug file.
struct ModuleReading: Sendable {
  /// The module's index.
  let module: Int
  let image: ElfImage
  /// Ascending.
  let addresses: [UInt64]
  /// The symbol table; nil before it is read.
  private(set) var symbols: ElfSymbols?
  /// Whether a demangler for Rust's v0 names is available; llvm-symbolizer demangles them otherwise.
  let canDemangleRust: Bool
  /// Whether there is more to read than the symbol table.
  let hasDebugInformation: Bool
  /// The frames of each address, innermost first; nil if only llvm-symbolizer can answer.
  private(set) var frames: [[StackFrame]?] = []
  /// Why debug information cannot be read; nil if it can.
  private(set) var failure: PerfProfileError?

  /// Reads modules on all CPUs and returns them in no particular order.
  static func read(_ readings: [ModuleReading]) -> [ModuleReading] {
    // The slowest modules go first, so that all CPUs finish at about the same time.
    readings.sorted { $0.weight > $1.weight }.concurrentMap { reading in
      var reading = reading
      reading.read()
      return reading
    }
  }

  /// Debug information takes far longer than a symbol table.
  private var weight: (Int, Int) { (hasDebugInformation ? 1 : 0, image.memory.bytes.count) }

  private mutating func read() {
    let symbols = ElfSymbols(image)
    self.symbols = symbols
    let plain = { (name: String) in [StackFrame(name: name, file: nil, line: 0)] }
    guard hasDebugInformation else {
      frames = addresses.map { symbols.name(at: $0).map(plain) ?? [] }
      return
    }
    // Debug information has no stubs, and llvm-symbolizer takes them for the function before them.
    frames = addresses.map { symbols.stubName(at: $0).map(plain) }
    do throws(PerfProfileError) {
      guard try DebugFile.find(for: image) != nil else {
        frames = addresses.map { symbols.name(at: $0).map(plain) ?? [] }
        return
      }
      guard let file = try DwarfFile(image, symbols: symbols) else { return }
      for (place, address) in addresses.enumerated() where frames[place] == nil {
        let found = file.frames(at: address)
        let isForTool = !canDemangleRust && found?.contains { $0.name.hasPrefix("_R") } == true
        if !isForTool { frames[place] = found }
      }
      failure = file.failure
    } catch {
      failure = error
    }
  }
}
