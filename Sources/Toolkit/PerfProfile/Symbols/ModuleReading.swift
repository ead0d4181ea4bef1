/// What the files of a module say of some of its addresses: its own, and its debug file.
struct ModuleReading: Sendable {
  /// The module's index.
  let module: Int
  let image: ElfImage
  /// Ascending, so that neighbours are read together.
  let addresses: [UInt64]
  /// Its symbol table, read unless it was given.
  private(set) var symbols: ElfSymbols?
  /// Whether Rust's newer names can be demangled by others than llvm-symbolizer.
  let knowsRust: Bool
  /// Whether there may be more to say than the symbol table does.
  let hasDebugInformation: Bool
  /// The frames of each address, innermost first; nil where only llvm-symbolizer can tell.
  private(set) var frames: [[LLVMSymbolizer.Frame]?] = []
  /// Why the debug information cannot be read.
  private(set) var failure: PerfProfileError?

  init(
    module: Int, image: ElfImage, symbols: ElfSymbols?, addresses: [UInt64], knowsRust: Bool,
    hasDebugInformation: Bool
  ) {
    self.module = module
    self.image = image
    self.knowsRust = knowsRust
    self.symbols = symbols
    self.addresses = addresses
    self.hasDebugInformation = hasDebugInformation
  }

  /// Reads modules on all CPUs; the order of what it returns is its own.
  static func read(_ readings: [ModuleReading]) -> [ModuleReading] {
    // Those that take longest first, that no CPU is left alone with one of them.
    readings.sorted { $0.weight > $1.weight }.concurrentMap { reading in
      var reading = reading
      reading.read()
      return reading
    }
  }

  /// Debug information takes far longer than a symbol table.
  private var weight: (Int, Int) { (hasDebugInformation ? 1 : 0, image.memory.bytes.count) }

  private mutating func read() {
    let symbols = symbols ?? ElfSymbols(image)
    self.symbols = symbols
    let plain = { (name: String) in [LLVMSymbolizer.Frame(name: name, file: nil, line: 0)] }
    do throws(PerfProfileError) {
      guard hasDebugInformation, let file = try DebugFile.find(for: image) else {
        frames = addresses.map { symbols.name(at: $0).map(plain) ?? [] }
        return
      }
      // Debug information knows nothing of stubs, and the tool takes them for what is before them.
      frames = addresses.map { symbols.stubName(at: $0).map(plain) }
      guard let file = try DwarfFile(file, symbols: symbols) else { return }
      for (place, address) in addresses.enumerated() where frames[place] == nil {
        let found = file.frames(at: address)
        let isForTool = !knowsRust && found?.contains { $0.name.hasPrefix("_R") } == true
        if !isForTool { frames[place] = found }
      }
      failure = file.failure
    } catch {
      if frames.isEmpty { frames = addresses.map { symbols.stubName(at: $0).map(plain) } }
      failure = error
    }
  }
}
