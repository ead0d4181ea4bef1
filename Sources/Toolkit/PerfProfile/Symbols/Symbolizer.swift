internal import PerfModel

/// Names all addresses of a profile in one go: from the cache, from debug information, or from the
/// files' own symbol tables, which say as much where there is none.
///
/// Debug information is read here, unless it is split into other files or of an unusual form: that is
/// left to llvm-symbolizer.
final class Symbolizer {
  /// An address of a module's file.
  struct Address: Hashable, Comparable {
    let module: Int
    let address: UInt64

    static func < (left: Self, right: Self) -> Bool {
      (left.module, left.address) < (right.module, right.address)
    }
  }

  /// What was found out about an address.
  private struct Answer {
    /// Innermost first; none where nobody knows a name.
    let frames: [LLVMSymbolizer.Frame]
    /// Whether another day would tell no more.
    let isFull: Bool
  }

  private let images: ModuleImages
  private let tools: ToolPaths
  private let cache: any SymbolCache
  private(set) var warnings: [RunWarning] = []
  private let described: DescribedFunctions
  /// What there is to read of modules, which is found out once.
  private var contents: [Int: SymbolSource.Content] = [:]

  init(images: ModuleImages, tools: ToolPaths, cache: any SymbolCache) {
    self.images = images
    self.tools = tools
    self.cache = cache
    described = DescribedFunctions(images: images)
  }

  /// Returns the frames of each address, innermost first, at least one.
  func symbolize(_ addresses: Set<Address>) -> [Address: [SymbolFrame]] {
    var result: [Address: [SymbolFrame]] = [:]
    result.reserveCapacity(addresses.count)
    let left = takeKnown(addresses, into: &result)
    if left.isEmpty { return result }
    let answers = lookUp(left)
    let names = FrameNames(
      of: Set(answers.flatMap { $0.frames.map(\.name) }),
      by: Demangler(tools: tools))
    var fresh: [SymbolSource: [UInt64: [SymbolFrame]]] = [:]
    for group in byModule(left.indices, of: left) {
      let module = left[group.lowerBound].module
      var full: [UInt64: [SymbolFrame]] = [:]
      for place in group {
        let (address, answer) = (left[place], answers[place])
        let frames =
          answer.frames.isEmpty ? [nameless(address)] : answer.frames.map(names.symbol)
        result[address] = shown(frames, in: module)
        if answer.isFull { full[address.address] = frames }
      }
      if let source = sources(of: module).first, !full.isEmpty {
        fresh[source, default: [:]].merge(full) { _, new in new }
      }
    }
    cache.store(fresh)
    return result
  }

  // MARK: - The cache

  /// Takes what the cache knows, and returns the other addresses, ascending.
  private func takeKnown(
    _ addresses: Set<Address>, into result: inout [Address: [SymbolFrame]]
  ) -> [Address] {
    let addresses = addresses.sorted()
    var groups: [Range<Int>] = []
    var questions: [SymbolQuestion] = []
    for group in byModule(addresses.indices, of: addresses) {
      for source in sources(of: addresses[group.lowerBound].module) {
        groups.append(group)
        questions.append(
          SymbolQuestion(source: source, addresses: addresses[group].map(\.address)))
      }
    }
    for (group, answers) in zip(groups, cache.symbols(questions)) {
      let module = addresses[group.lowerBound].module
      for (address, frames) in zip(addresses[group], answers) {
        guard let frames, !frames.isEmpty else { continue }
        result[address] = shown(frames, in: module)
      }
    }
    return addresses.filter { result[$0] == nil }
  }

  /// Returns what symbols of a module may be from: what is there now, and behind it what has said more
  /// and is gone; nothing for modules without a build id.
  private func sources(of module: Int) -> [SymbolSource] {
    let id = images.identities[module].buildID
    if id.isEmpty { return [] }
    let content = content(of: module)
    return SymbolSource.Content.allCases.drop { $0 != content }.map {
      SymbolSource(buildID: hexadecimal(id), content: $0)
    }
  }

  private func content(of module: Int) -> SymbolSource.Content {
    if let known = contents[module] { return known }
    let image = images.image(module)
    let content: SymbolSource.Content =
      image.map(DebugFile.isThere) == true
      ? .debugInformation : image.map(ElfSymbols.isTable) == true ? .symbolTable : .exports
    contents[module] = content
    return content
  }

  /// Returns the parts of ascending addresses that are of one module each.
  private func byModule(_ range: Range<Int>, of addresses: [Address]) -> [Range<Int>] {
    var groups: [Range<Int>] = []
    var start = range.lowerBound
    while start < range.upperBound {
      let module = addresses[start].module
      let end = addresses[start...].firstIndex { $0.module != module } ?? range.upperBound
      groups.append(start..<end)
      start = end
    }
    return groups
  }

  // MARK: - The files

  /// Finds out what files and tools say of ascending addresses.
  private func lookUp(_ addresses: [Address]) -> [Answer] {
    let groups = byModule(addresses.indices, of: addresses)
    let readings = read(groups.map { addresses[$0] })
    var found = [[LLVMSymbolizer.Frame]?](repeating: nil, count: addresses.count)
    for group in groups {
      guard let reading = readings[addresses[group.lowerBound].module] else { continue }
      found.replaceSubrange(group, with: reading.frames)
    }
    let asked = addresses.indices.filter {
      found[$0] == nil && readings[addresses[$0].module] != nil
    }
    let told = byTool(asked.map { addresses[$0] })
    for (place, frames) in zip(asked, told) { found[place] = frames }
    return addresses.indices.map { place in
      let address = addresses[place]
      // A debug file that cannot be read may be mended.
      let isRead = readings[address.module]?.failure == nil
      if let frames = found[place], !frames.isEmpty {
        return Answer(frames: frames, isFull: isRead)
      }
      // A name of the table says less than debug information; none is all that there is.
      let name = images.symbols(address.module)?.name(at: address.address)
      let frames = name.map { [LLVMSymbolizer.Frame(name: $0, file: nil, line: 0)] } ?? []
      return Answer(frames: frames, isFull: isRead && found[place] != nil && frames.isEmpty)
    }
  }

  /// Reads the files of modules that there are, each by some of its addresses.
  private func read(_ groups: [ArraySlice<Address>]) -> [Int: ModuleReading] {
    var readings: [ModuleReading] = []
    for group in groups {
      guard let module = group.first?.module, let image = images.image(module) else { continue }
      readings.append(
        ModuleReading(
          module: module, image: image, symbols: images.knownSymbols(module),
          addresses: group.map(\.address), knowsRust: tools.rustDemangler != nil,
          hasDebugInformation: content(of: module) == .debugInformation))
    }
    var result: [Int: ModuleReading] = [:]
    for reading in ModuleReading.read(readings) {
      if let symbols = reading.symbols { images.keep(symbols, of: reading.module) }
      if let failure = reading.failure {
        warnings.append(
          RunWarning(
            code: "symbols.debug_file", message: "\(failure)",
            remedy: "Its functions may lack lines and inlined calls. Install its debug file anew."))
      }
      result[reading.module] = reading
    }
    return result
  }

  /// Asks the tool; of none when it cannot be asked.
  private func byTool(_ addresses: [Address]) -> [[LLVMSymbolizer.Frame]?] {
    let askable = addresses.indices.filter { isFile(addresses[$0].module) }
    var answers = [[LLVMSymbolizer.Frame]?](repeating: nil, count: addresses.count)
    if askable.isEmpty { return answers }
    guard let path = tools.symbolizer else {
      warn("there is no llvm-symbolizer")
      return answers
    }
    do {
      let requests = askable.map {
        LLVMSymbolizer.Request(
          path: images.identities[addresses[$0].module].path, address: addresses[$0].address)
      }
      let told = try LLVMSymbolizer(path: path).symbolize(
        requests, processes: Tool.processes(for: requests.count))
      for (place, frames) in zip(askable, told) { answers[place] = frames }
    } catch {
      warn("\(error)")
    }
    return answers
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

  // MARK: - Code without names

  /// Code without a symbol as a frame without a name, whose key says where its function begins, as far
  /// as unwind information tells functions apart; the rest of a module is one function.
  private func nameless(_ address: Address) -> SymbolFrame {
    let start = described.start(at: address.address, in: address.module)
    let key = start.map { "+0x\(String($0, radix: 16))" } ?? ""
    return SymbolFrame(name: "", key: key, file: nil, line: 0)
  }

  /// Returns frames as they are shown: those without a name have their module's.
  private func shown(_ frames: [SymbolFrame], in module: Int) -> [SymbolFrame] {
    guard let first = frames.first, first.name.isEmpty else { return frames }
    let file = images.identities[module].name
    let key = file + first.key
    let name = first.key.isEmpty ? "\(file) (no symbols)" : key
    return [SymbolFrame(name: name, key: key, file: nil, line: 0)]
  }
}

/// Returns bytes as lower-case hexadecimal digits.
func hexadecimal(_ bytes: [UInt8]) -> String {
  let digits = Array("0123456789abcdef".utf8)
  return String(
    decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}
