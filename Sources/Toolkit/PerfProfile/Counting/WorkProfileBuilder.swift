public import PerfModel

/// Builds the profile of counted work from the counts of launches.
///
/// Each instruction belongs to the innermost function at its address, inlined or not, as a sample
/// does. A call belongs to the function that begins at the called address.
public final class WorkProfileBuilder {
  private typealias Address = Symbolizer.Address

  private struct Counted {
    let launch: Int
    let instructions: [Address: UInt64]
    let calls: [Address: UInt64]
    let dataMisses: [Address: UInt64]?
    let branchMisses: [Address: UInt64]?

    var addresses: [Address] {
      [instructions, calls, dataMisses ?? [:], branchMisses ?? [:]].flatMap(\.keys)
    }
  }

  private struct Key: Hashable {
    let key: String
    let module: String?
  }

  private struct Counts {
    var name: String
    var instructions: [UInt64]
    var calls: [UInt64]
    var dataMisses: [UInt64]
    var branchMisses: [UInt64]
  }

  /// The module of code without a file.
  private static let noModule = -1
  /// The name of code without a file.
  private static let noFile = "[code without a file]"

  private let images = ModuleImages()
  private let tools: ToolPaths
  private let cache: SymbolCache?
  private let symbolication: Symbolication
  private let original: (String) -> String
  private var launches: [Counted] = []

  /// Creates a builder of an empty profile.
  ///
  /// - Parameters:
  ///   - tools: The programs that name addresses.
  ///   - cache: The known symbols; nil for none.
  ///   - symbolication: The process that reads symbols and debug information.
  ///   - original: Returns the path of the file of which a path is a copy, or the path itself.
  public init(
    tools: ToolPaths = .found(), cache: SymbolCache? = nil,
    symbolication: Symbolication = .inProcess, original: @escaping (String) -> String = { $0 }
  ) {
    self.tools = tools
    self.cache = cache
    self.symbolication = symbolication
    self.original = original
  }

  /// Adds the counts of a launch.
  public func add(_ counts: CallgrindCounts, launch: Int) {
    let modules = counts.objects.map(module)
    func named(_ places: [CallgrindCounts.Place: UInt64]) -> [Address: UInt64] {
      Dictionary(
        places.map { (Address(module: modules[$0.object], address: $0.address), $1) },
        uniquingKeysWith: &+)
    }
    launches.append(
      Counted(
        launch: launch, instructions: named(counts.instructions), calls: named(counts.calls),
        dataMisses: counts.dataMisses.map(named), branchMisses: counts.branchMisses.map(named)))
  }

  private func module(_ path: String) -> Int {
    guard path != CallgrindCounts.anonymous else { return Self.noModule }
    let path = original(path)
    // The cache of symbols needs the build id, which callgrind does not report.
    let image = (try? ImageMemory(path: path)).flatMap { try? ElfImage(path: path, memory: $0) }
    return images.index(
      of: LoadedModule(path: path, buildID: image?.buildID ?? [], bias: 0, low: 0, high: 0))
  }

  /// Looks up all symbols and returns the profile; nil if no launch was counted.
  public func finish() -> (profile: WorkProfile, warnings: [RunWarning])? {
    guard !launches.isEmpty else { return nil }
    let symbolizer = Symbolizer(
      images: images, tools: tools, cache: cache, symbolication: symbolication)
    let addresses = launches.flatMap(\.addresses)
    let symbols = symbolizer.symbolize(Set(addresses.filter { $0.module != Self.noModule }))
    var functions: [Key: Counts] = [:]
    for (place, launch) in launches.enumerated() {
      for (address, count) in launch.instructions {
        add(count, \.instructions, symbols[address]?.first, address, place, to: &functions)
      }
      for (address, count) in launch.calls {
        add(count, \.calls, symbols[address]?.last, address, place, to: &functions)
      }
      for (address, count) in launch.dataMisses ?? [:] {
        add(count, \.dataMisses, symbols[address]?.first, address, place, to: &functions)
      }
      for (address, count) in launch.branchMisses ?? [:] {
        add(count, \.branchMisses, symbols[address]?.first, address, place, to: &functions)
      }
    }
    let hasDataMisses = launches.allSatisfy { $0.dataMisses != nil }
    let hasBranchMisses = launches.allSatisfy { $0.branchMisses != nil }
    let profile = WorkProfile(
      launches: launches.map(\.launch),
      functions: functions.map { key, counts in
        WorkProfile.Function(
          name: counts.name, key: key.key, module: key.module, instructions: counts.instructions,
          calls: counts.calls, dataMisses: hasDataMisses ? counts.dataMisses : nil,
          branchMisses: hasBranchMisses ? counts.branchMisses : nil)
      }.sorted { ($1.total, $0.key, $0.module ?? "") < ($0.total, $1.key, $1.module ?? "") })
    return (profile, images.warnings + symbolizer.warnings)
  }

  /// Adds a count to the function of a frame.
  private func add(
    _ count: UInt64, _ kind: WritableKeyPath<Counts, [UInt64]>, _ frame: SymbolFrame?,
    _ address: Address, _ launch: Int, to functions: inout [Key: Counts]
  ) {
    let isFile = address.module != Self.noModule
    let key = Key(
      key: frame?.key ?? Self.noFile,
      module: isFile ? images.identities[address.module].name : nil)
    let name = frame?.name ?? Self.noFile
    let zeros = [UInt64](repeating: 0, count: launches.count)
    let none = Counts(
      name: name, instructions: zeros, calls: zeros, dataMisses: zeros, branchMisses: zeros)
    functions[key, default: none][keyPath: kind][launch] &+= count
    // Of several names with one key, the choice must not depend on the order of hashing.
    if name < functions[key]?.name ?? name { functions[key]?.name = name }
  }
}

extension WorkProfile.Function {
  /// The instructions of all launches.
  fileprivate var total: UInt64 { instructions.reduce(0, &+) }
}
