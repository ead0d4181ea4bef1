internal import PerfModel

/// Names addresses from files' debug information and symbol tables.
///
/// libdw reads debug information, except split DWARF and unusual compression: llvm-symbolizer reads
/// those.
struct FileSymbolizer {
  private let tools: ToolPaths
  private let images = ModuleImages()
  private var warnings: [RunWarning] = []

  /// The frames at an address before demangling.
  private struct Finding {
    let frames: [StackFrame]
    /// Whether reading the file again would find no more.
    let isFinal: Bool
  }

  /// Answers a request.
  static func answer(_ request: SymbolRequest) -> SymbolAnswer {
    var symbolizer = Self(tools: request.tools)
    return symbolizer.answer(request.files)
  }

  private mutating func answer(_ files: [SymbolRequest.File]) -> SymbolAnswer {
    let modules = files.map { file in
      images.index(
        of: LoadedModule(path: file.path, buildID: file.buildID, bias: 0, low: 0, high: 0))
    }
    let findings = find(zip(modules, files).map { ($0, $1.addresses) })
    let names = FrameNames(
      of: Set(findings.joined().flatMap { $0.frames.map(\.name) }), by: Demangler(tools: tools))
    let answers = zip(files, findings).map { file, findings in
      var answer = SymbolAnswer.File()
      for (address, finding) in zip(file.addresses, findings) {
        answer.frames[address] = finding.frames.map(names.symbol)
        if finding.isFinal { answer.final.insert(address) }
      }
      return answer
    }
    return SymbolAnswer(files: answers, warnings: warnings + images.warnings)
  }

  private mutating func find(_ files: [(module: Int, addresses: [UInt64])]) -> [[Finding]] {
    let readings = read(files)
    var frames = files.map { file in
      readings[file.module]?.frames ?? file.addresses.map { _ in [StackFrame]?.none }
    }
    askTool(files, readings, &frames)
    return files.indices.map { place in
      let (module, addresses) = files[place]
      let isReadable = readings[module].map { $0.failure == nil } ?? false
      return zip(addresses, frames[place]).map { address, found in
        if let found, !found.isEmpty { return Finding(frames: found, isFinal: isReadable) }
        // A symbol is less than debug information could say; no symbol at all is final.
        let name = readings[module]?.symbols?.name(at: address)
        let frames = name.map { [StackFrame(name: $0, file: nil, line: 0)] } ?? []
        return Finding(
          frames: frames, isFinal: isReadable && found != nil && frames.isEmpty)
      }
    }
  }

  private mutating func read(
    _ files: [(module: Int, addresses: [UInt64])]
  ) -> [Int: ModuleReading] {
    let readings = files.compactMap { module, addresses in
      images.image(module).map {
        ModuleReading(
          module: module, image: $0, addresses: addresses,
          canDemangleRust: tools.rustDemangler != nil,
          hasDebugInformation: DebugFile.isAvailable(for: $0))
      }
    }
    var result: [Int: ModuleReading] = [:]
    for reading in ModuleReading.read(readings) {
      if let failure = reading.failure {
        warnings.append(
          RunWarning(
            code: "symbols.debug_file", message: failure.message,
            remedy: "Its functions may lack lines and inlined calls. Reinstall its debug file."))
      }
      result[reading.module] = reading
    }
    return result
  }

  /// Asks llvm-symbolizer about the addresses that libdw cannot answer.
  private mutating func askTool(
    _ files: [(module: Int, addresses: [UInt64])], _ readings: [Int: ModuleReading],
    _ frames: inout [[[StackFrame]?]]
  ) {
    var places: [(file: Int, index: Int)] = []
    var requests: [LLVMSymbolizer.Request] = []
    for (file, (module, addresses)) in files.enumerated() {
      guard let path = readings[module]?.image.path, Self.canBeAsked(path) else { continue }
      for index in addresses.indices where frames[file][index] == nil {
        places.append((file, index))
        requests.append(LLVMSymbolizer.Request(path: path, address: addresses[index]))
      }
    }
    if requests.isEmpty { return }
    guard let path = tools.symbolizer else { return warn("there is no llvm-symbolizer") }
    do {
      let answers = try LLVMSymbolizer(path: path).symbolize(
        requests, processes: Tool.processes(for: requests.count))
      for (place, answer) in zip(places, answers) { frames[place.file][place.index] = answer }
    } catch {
      warn(error.message)
    }
  }

  private mutating func warn(_ reason: String) {
    warnings.append(
      RunWarning(
        code: "symbols.fallback",
        message: "some names come from symbol tables, without inlined functions and lines: "
          + reason,
        remedy: "Put the toolchain's llvm-symbolizer into PATH or set PERFKIT_LLVM_SYMBOLIZER."))
  }

  /// Returns whether llvm-symbolizer accepts a path: it must be a file's and fit between quotes.
  private static func canBeAsked(_ path: String) -> Bool {
    path.hasPrefix("/") && !path.contains { $0 == "\"" || $0 == "\n" }
  }
}
