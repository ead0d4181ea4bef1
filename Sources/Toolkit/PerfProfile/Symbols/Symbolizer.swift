internal import Glibc
internal import PerfModel

/// Names all addresses of a profile in one go: from the cache, from debug information, or from the
/// files' own symbol tables, which say as much where there is none.
///
/// Plain debug information in the file itself is read here; such that is elsewhere, compressed or
/// split, by llvm-symbolizer.
final class Symbolizer {
  /// An address of a module's file.
  struct Address: Hashable {
    let module: Int
    let address: UInt64
  }

  private let images: ModuleImages
  private let tools: ToolPaths
  private let cache: any SymbolCache
  private(set) var warnings: [RunWarning] = []
  private let described: DescribedFunctions

  init(images: ModuleImages, tools: ToolPaths, cache: any SymbolCache) {
    self.images = images
    self.tools = tools
    self.cache = cache
    described = DescribedFunctions(images: images)
  }

  /// Returns the frames of each address, innermost first, at least one.
  func symbolize(_ addresses: Set<Address>) -> [Address: [SymbolFrame]] {
    var result = cached(addresses)
    let left = addresses.filter { result[$0] == nil }.sorted {
      ($0.module, $0.address) < ($1.module, $1.address)
    }
    var raw: [(address: Address, frames: [LLVMSymbolizer.Frame], isFull: Bool)] = []
    let explained = Set(left.map(\.module)).filter(hasDebugInformation)
    let asked = left.filter { explained.contains($0.module) }
    var answers = byDebugInformation(asked)
    answers.merge(byTool(asked.filter { answers[$0] == nil })) { own, _ in own }
    for address in left {
      let answer = answers[address]
      let frames = answer.flatMap { $0.isEmpty ? nil : $0 } ?? byTable(address)
      // That there is no name is an answer, too, when nobody could know one.
      let isFull = answer.map { !$0.isEmpty || frames.isEmpty }
      raw.append((address, frames, isFull ?? !explained.contains(address.module)))
    }
    let names = Set(raw.flatMap { $0.frames.map(\.name) })
    let demangler = Demangler(path: tools.demangler)
    let demangled = demangler.demangle(names)
    let signatures = Dictionary(
      names.compactMap { name in demangler.signature(of: name).map { (name, $0) } },
      uniquingKeysWith: { first, _ in first })
    var keys: [String: String] = [:]
    var fresh: [Int: [UInt64: [SymbolFrame]]] = [:]
    for (address, frames, isFull) in raw {
      let symbols = frames.map { frame -> SymbolFrame in
        let name = demangled[frame.name] ?? frame.name
        let key = keys[name] ?? FunctionKey.key(of: name)
        keys[name] = key
        let signature = signatures[frame.name].flatMap { $0 == name ? nil : $0 }
        return SymbolFrame(
          name: name, key: key, signature: signature, file: frame.file, line: frame.line)
      }
      result[address] = symbols.isEmpty ? [unnamed(address)] : symbols
      if isFull { fresh[address.module, default: [:]][address.address] = symbols }
    }
    for (module, symbols) in fresh {
      let id = images.identities[module].buildID
      if !id.isEmpty { cache.store(symbols, buildID: hexadecimal(id)) }
    }
    return result
  }

  // MARK: - Sources

  private func cached(_ addresses: Set<Address>) -> [Address: [SymbolFrame]] {
    var result: [Address: [SymbolFrame]] = [:]
    for (module, group) in Dictionary(grouping: addresses, by: \.module) {
      let id = images.identities[module].buildID
      if id.isEmpty { continue }
      let known = cache.symbols(buildID: hexadecimal(id), addresses: group.map(\.address))
      let hasDebugFile = DebugFile.exists(buildID: id)
      for (address, frames) in known where !frames.isEmpty || !hasDebugFile {
        let place = Address(module: module, address: address)
        result[place] = frames.isEmpty ? [unnamed(place)] : frames
      }
    }
    return result
  }

  /// Whether there is more to say of a module than its symbol table does.
  private func hasDebugInformation(_ module: Int) -> Bool {
    images.image(module).map(DebugFile.isThere) ?? false
  }

  private func byDebugInformation(_ addresses: [Address]) -> [Address: [LLVMSymbolizer.Frame]] {
    var result: [Address: [LLVMSymbolizer.Frame]] = [:]
    for (module, group) in Dictionary(grouping: addresses, by: \.module) {
      guard let image = images.image(module), let symbols = images.symbols(module),
        let file = DwarfFile(image, symbols: symbols)
      else { continue }
      for address in group {
        let frames = file.frames(at: address.address)
        // Rust's newer names are demangled by the tool alone.
        if !frames.contains(where: { $0.name.hasPrefix("_R") }) { result[address] = frames }
      }
    }
    return result
  }

  private func byTool(_ addresses: [Address]) -> [Address: [LLVMSymbolizer.Frame]] {
    let askable = addresses.filter { isFile($0.module) }
    if askable.isEmpty { return [:] }
    guard let path = tools.symbolizer else {
      warn("there is no llvm-symbolizer")
      return [:]
    }
    do {
      let requests = askable.map {
        LLVMSymbolizer.Request(path: images.identities[$0.module].path, address: $0.address)
      }
      let answers = try LLVMSymbolizer(path: path).symbolize(
        requests, processes: LLVMSymbolizer.processes(for: requests.count))
      return Dictionary(zip(askable, answers)) { first, _ in first }
    } catch {
      warn("\(error)")
      return [:]
    }
  }

  private func warn(_ reason: String) {
    warnings.append(
      RunWarning(
        code: "symbols.fallback",
        message: "names come from symbol tables, without inlined functions and lines: \(reason)",
        remedy: "Put the toolchain's llvm-symbolizer into PATH or PERFKIT_LLVM_SYMBOLIZER"))
  }

  /// Whether the tool can read a module: its file is the one that was measured, and its path can be
  /// written between quotes.
  private func isFile(_ module: Int) -> Bool {
    guard let image = images.image(module) else { return false }
    return image.path.hasPrefix("/") && !image.path.contains { $0 == "\"" || $0 == "\n" }
  }

  private func byTable(_ address: Address) -> [LLVMSymbolizer.Frame] {
    guard let name = images.symbols(address.module)?.name(at: address.address) else { return [] }
    return [LLVMSymbolizer.Frame(name: name, file: nil, line: 0)]
  }

  /// Names code without a symbol by its module and where its function begins there, as far as unwind
  /// information tells functions apart; the rest of a module is one function.
  private func unnamed(_ address: Address) -> SymbolFrame {
    let module = images.identities[address.module].name
    guard let start = described.start(at: address.address, in: address.module) else {
      return SymbolFrame(name: "\(module) (no symbols)", key: module, file: nil, line: 0)
    }
    let name = "\(module)+0x\(String(start, radix: 16))"
    return SymbolFrame(name: name, key: name, file: nil, line: 0)
  }
}

/// Returns bytes as lower-case hexadecimal digits.
func hexadecimal(_ bytes: [UInt8]) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
