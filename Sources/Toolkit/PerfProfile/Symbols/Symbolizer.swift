internal import PerfModel

/// Names all addresses of a profile: from the cache, or from the files by `Symbolication`.
final class Symbolizer {
  /// An address of a module's file.
  struct Address: Hashable, Comparable {
    let module: Int
    let address: UInt64

    static func < (left: Self, right: Self) -> Bool {
      (left.module, left.address) < (right.module, right.address)
    }
  }

  private let images: ModuleImages
  private let tools: ToolPaths
  private let cache: SymbolCache?
  private let symbolication: Symbolication
  private(set) var warnings: [RunWarning] = []
  private let described: DescribedFunctions
  /// The keys of the modules' symbols in the cache; determined once.
  private var keys: [Int: [String]] = [:]

  init(
    images: ModuleImages, tools: ToolPaths, cache: SymbolCache?,
    symbolication: Symbolication = .inProcess
  ) {
    self.images = images
    self.tools = tools
    self.cache = cache
    self.symbolication = symbolication
    described = DescribedFunctions(images: images)
  }

  /// Returns the frames of each address, innermost first, at least one.
  func symbolize(_ addresses: Set<Address>) -> [Address: [SymbolFrame]] {
    var result: [Address: [SymbolFrame]] = [:]
    result.reserveCapacity(addresses.count)
    fetchDebugFiles(of: Set(addresses.map(\.module)))
    let left = takeKnown(addresses, into: &result)
    if left.isEmpty { return result }
    let groups = byModule(left)
    let readable = groups.filter { images.image(left[$0.lowerBound].module) != nil }
    let answer = symbolication.answer(
      SymbolRequest(
        files: readable.map { group in
          let identity = images.identities[left[group.lowerBound].module]
          return SymbolRequest.File(
            path: identity.path, buildID: identity.buildID,
            addresses: left[group].map(\.address))
        }, tools: tools))
    warnings += answer.warnings
    let files = Dictionary(
      uniqueKeysWithValues: zip(readable.map { left[$0.lowerBound].module }, answer.files))
    var fresh: [String: [UInt64: [SymbolFrame]]] = [:]
    for group in groups {
      let module = left[group.lowerBound].module
      let file = files[module] ?? nil
      var final: [UInt64: [SymbolFrame]] = [:]
      for address in left[group] {
        let found = file?.frames[address.address] ?? []
        let frames = found.isEmpty ? [nameless(address)] : found
        result[address] = shown(frames, in: module)
        if file?.final.contains(address.address) == true { final[address.address] = frames }
      }
      if cache != nil, !final.isEmpty, let key = keys(of: module).first {
        fresh[key, default: [:]].merge(final) { _, new in new }
      }
    }
    cache?.store(fresh)
    return result
  }

  /// Fetches the debug files that modules lack from the servers, if there are any.
  private func fetchDebugFiles(of modules: Set<Int>) {
    guard let servers = symbolication.servers else { return }
    let images = modules.sorted().compactMap(images.image)
      .filter { !$0.buildID.isEmpty && !DebugFile.isAvailable(for: $0) }
    warnings += servers.fetch(images)
  }

  // MARK: - The cache

  /// Takes the addresses that the cache knows and returns the others, ascending.
  private func takeKnown(
    _ addresses: Set<Address>, into result: inout [Address: [SymbolFrame]]
  ) -> [Address] {
    let addresses = addresses.sorted()
    guard let cache else { return addresses }
    var groups: [Range<Int>] = []
    var questions: [(key: String, addresses: [UInt64])] = []
    for group in byModule(addresses) {
      for key in keys(of: addresses[group.lowerBound].module) {
        groups.append(group)
        questions.append((key, addresses[group].map(\.address)))
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

  /// Returns the keys of a module's symbols in the cache: for the present content of its file, then for
  /// richer content that the file once had; empty for a module without a build id.
  ///
  /// The content is part of the key, because symbols of a stripped file are obsolete once the whole file
  /// or a debug file is available.
  private func keys(of module: Int) -> [String] {
    if let known = keys[module] { return known }
    let id = images.identities[module].buildID
    if id.isEmpty { return [] }
    let image = images.image(module)
    // Exported functions, as in a stripped file; a table of all functions; inlined functions and lines.
    let contents = ["+exports", "", "+debug"]
    let present =
      image.map(DebugFile.isAvailable) == true ? 2 : image.map(ElfSymbols.hasTable) == true ? 1 : 0
    let found = contents[present...].map { hexadecimal(id) + $0 }
    keys[module] = found
    return found
  }

  /// Returns the ranges of ascending addresses that belong to one module each.
  private func byModule(_ addresses: [Address]) -> [Range<Int>] {
    var groups: [Range<Int>] = []
    var start = 0
    while start < addresses.count {
      let module = addresses[start].module
      let end = addresses[start...].firstIndex { $0.module != module } ?? addresses.count
      groups.append(start..<end)
      start = end
    }
    return groups
  }

  // MARK: - Code without names

  /// Returns a frame without a name, whose key is the start of the function by unwind information; all
  /// other code of the module is one function.
  private func nameless(_ address: Address) -> SymbolFrame {
    let start = described.start(at: address.address, in: address.module)
    let key = start.map { "+0x\(String($0, radix: 16))" } ?? ""
    return SymbolFrame(name: "", key: key, file: nil, line: 0)
  }

  /// Returns whether a function has no name, only a module and perhaps an offset.
  static func isNameless(_ function: Profile.Function) -> Bool {
    function.name == nameOfUnnamed(in: function.module)
      || function.name.hasPrefix("\(function.module)+0x")
  }

  private static func nameOfUnnamed(in module: String) -> String { "\(module) (no symbols)" }

  /// Returns frames as they are displayed: a frame without a name gets its module's.
  private func shown(_ frames: [SymbolFrame], in module: Int) -> [SymbolFrame] {
    guard let first = frames.first, first.name.isEmpty else { return frames }
    let file = images.identities[module].name
    let key = file + first.key
    let name = first.key.isEmpty ? Self.nameOfUnnamed(in: file) : key
    return [SymbolFrame(name: name, key: key, file: nil, line: 0)]
  }
}

/// Returns bytes as lower-case hexadecimal digits.
func hexadecimal(_ bytes: [UInt8]) -> String {
  let digits = Array("0123456789abcdef".utf8)
  return String(
    decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}
