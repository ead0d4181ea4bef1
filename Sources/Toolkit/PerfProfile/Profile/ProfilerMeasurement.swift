internal import CPerfFormat
internal import CUnwind

/// The time that unwinding and symbolication of a run's samples takes; for `Scripts/bench
/// profiler`.
public struct ProfilerMeasurement {
  /// One pass over all samples.
  public struct Pass {
    /// The duration in nanoseconds.
    public private(set) var nanoseconds: UInt64 = 0
    /// The number of stacks.
    public private(set) var stacks = 0
    /// The number of frames of all stacks.
    public private(set) var frames = 0

    fileprivate mutating func add(_ pass: Pass) {
      nanoseconds += pass.nanoseconds
      stacks += pass.stacks
      frames += pass.frames
    }

    fileprivate mutating func add(_ counted: (stacks: Int, frames: Int), since began: UInt64) {
      nanoseconds += monotonicNanoseconds() - began
      stacks += counted.stacks
      frames += counted.frames
    }
  }

  /// With cold caches and reuse of the previous stack, as profiles are built.
  public let first: Pass
  /// The same with warm caches.
  public let again: Pass
  /// Stacks that equal the previous sample's in every byte and register.
  public let seen: Pass
  /// With warm caches, each stack to its end.
  public let whole: Pass
  /// By libunwind alone with its warm cache, each stack to its end.
  public let libunwind: Pass
  /// The number of stacks that libunwind alone walks differently.
  public let differing: Int

  /// The time for naming addresses.
  public struct Naming {
    /// The duration in nanoseconds.
    public let nanoseconds: UInt64
    /// The number of addresses.
    public let addresses: Int
  }

  /// The capture's addresses without a cache; a median, as the following ones.
  public let fresh: Naming
  /// The same with a cache that contains them.
  public let cached: Naming
  /// Up to 1,000 functions of each module without a cache.
  public let batch: Naming
  /// The same by llvm-symbolizer alone, without demangling and keys.
  public let tool: Naming
  /// The number of the capture's addresses in files with debug information.
  public let explained: Int
  /// The number of these for which llvm-symbolizer finds other functions or lines.
  public let misread: Int

  /// Measures the launches of a run.
  ///
  /// - Parameters:
  ///   - captures: The samples of each launch.
  ///   - empty: Empty symbol caches, at least one; each is used once.
  ///   - reopened: A second cache with the store of the first one, as the next command has it.
  ///   - tools: The programs that name addresses.
  /// - Throws: The errors of unwinding and of tools.
  public init(
    _ captures: [Capture], empty: [SymbolCache], reopened: SymbolCache,
    tools: ToolPaths = .found()
  ) throws(PerfProfileError) {
    let images = ModuleImages()
    var (first, again, seen) = (Pass(), Pass(), Pass())
    var (whole, libunwind) = (Pass(), Pass())
    var differing = 0
    for capture in captures {
      var began = monotonicNanoseconds()
      let unwinder = try Unwinder(capture, images: images)
      first.add(try Self.pass(capture, unwinder), since: began)
      began = monotonicNanoseconds()
      again.add(try Self.pass(capture, unwinder), since: began)
      seen.add(try Self.repeated(capture, unwinder))
      let byRows = try Unwinder(capture, images: images, shortcuts: .rows)
      let byLibunwind = try Unwinder(capture, images: images, shortcuts: [])
      differing += try zip(Self.stacks(capture, byRows), Self.stacks(capture, byLibunwind))
        .count { $0 != $1 }
      began = monotonicNanoseconds()
      whole.add(try Self.pass(capture, byRows), since: began)
      began = monotonicNanoseconds()
      libunwind.add(try Self.pass(capture, byLibunwind), since: began)
    }
    self.first = first
    self.again = again
    self.seen = seen
    self.whole = whole
    self.libunwind = libunwind
    self.differing = differing

    var tree = AddressTree()
    var reader = SampleReader(images: images)
    for capture in captures { _ = try reader.read(capture, into: &tree) }
    let wanted = Set(
      tree.locations.filter { $0.module >= 0 }.map {
        Symbolizer.Address(module: Int($0.module), address: $0.address)
      })
    // Read symbol tables anew each time, as a new process does.
    let name = { (wanted: Set<Symbolizer.Address>, cache: SymbolCache?) in
      let images = images.unread()
      return Self.naming {
        Symbolizer(images: images, tools: tools, cache: cache).symbolize(wanted).count
      }
    }
    let many = Self.functions(Set(wanted.map(\.module)), images)
    fresh = Self.median(empty.map { name(wanted, $0) })
    cached = Self.median(empty.map { _ in name(wanted, reopened) })
    batch = Self.median(empty.map { _ in name(many, nil) })
    tool = Self.median(
      empty.map { _ in
        Self.naming {
          let requests = many.map {
            LLVMSymbolizer.Request(path: images.identities[$0.module].path, address: $0.address)
          }
          return tools.symbolizer.flatMap {
            try? LLVMSymbolizer(path: $0).symbolize(
              requests.sorted {
                ($0.path, $0.address) < ($1.path, $1.address)
              }, processes: 1
            ).count
          } ?? 0
        }
      })
    (explained, misread) = try Self.misread(wanted, images, tools)
  }

  /// Compares the frames from libdw with llvm-symbolizer's.
  private static func misread(
    _ wanted: Set<Symbolizer.Address>, _ images: ModuleImages, _ tools: ToolPaths
  ) throws(PerfProfileError) -> (explained: Int, misread: Int) {
    guard let path = tools.symbolizer else { return (0, 0) }
    let readings = Dictionary(grouping: wanted, by: \.module).compactMap { module, addresses in
      images.image(module).map {
        ModuleReading(
          module: module, image: $0, addresses: addresses.map(\.address).sorted(),
          canDemangleRust: false, hasDebugInformation: DebugFile.isAvailable(for: $0))
      }
    }
    var requests: [LLVMSymbolizer.Request] = []
    var own: [[StackFrame]] = []
    for reading in ModuleReading.read(readings) where reading.hasDebugInformation {
      for (address, frames) in zip(reading.addresses, reading.frames) {
        guard let frames, reading.symbols?.stubName(at: address) == nil else { continue }
        requests.append(LLVMSymbolizer.Request(path: reading.image.path, address: address))
        own.append(frames)
      }
    }
    let told = try LLVMSymbolizer(path: path).symbolize(requests, processes: 1)
    let none = ToolPaths(symbolizer: nil, demangler: nil)
    let plain = Demangler(tools: none).demangle(Set(own.flatMap { $0.map(\.name) }))
    let misread = zip(own, told).count { own, told in
      // llvm-symbolizer demangles C++ names and reports files for code without lines.
      !own.elementsEqual(told) { mine, other in
        (mine.name == other.name || plain[mine.name] == other.name) && mine.line == other.line
          && (mine.file == other.file || mine.line == 0)
      }
    }
    return (own.count, misread)
  }

  /// Returns the median, because the host of a shared machine slows some of them down.
  private static func median(_ namings: [Naming]) -> Naming {
    namings.sorted { $0.nanoseconds < $1.nanoseconds }[namings.count / 2]
  }

  private static func naming(_ name: () -> Int) -> Naming {
    let began = monotonicNanoseconds()
    let count = name()
    return Naming(nanoseconds: monotonicNanoseconds() - began, addresses: count)
  }

  /// Returns functions of modules, evenly spread, at most 1,000 of each.
  private static func functions(
    _ modules: Set<Int>, _ images: ModuleImages
  ) -> Set<Symbolizer.Address> {
    var result: Set<Symbolizer.Address> = []
    for module in modules {
      let starts = images.symbols(module)?.starts ?? []
      for index in stride(from: 0, to: starts.count, by: max(1, (starts.count + 999) / 1000)) {
        result.insert(Symbolizer.Address(module: module, address: starts[index]))
      }
    }
    return result
  }

  private static func pass(
    _ capture: Capture, _ unwinder: Unwinder
  ) throws(PerfProfileError) -> (stacks: Int, frames: Int) {
    var count = (stacks: 0, frames: 0)
    try walk(capture, unwinder) {
      count.stacks += 1
      count.frames += $0.count
    }
    return count
  }

  /// Walks each stack once, then measures ten more walks.
  private static func repeated(
    _ capture: Capture, _ unwinder: Unwinder
  ) throws(PerfProfileError) -> Pass {
    var pass = Pass()
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    try capture.spool?.forEach { (entry, bytes) throws(PerfProfileError) in
      let head = bytes.loadUnaligned(as: perfkit_sample.self)
      let start = MemoryLayout<perfkit_sample>.size + Int(head.async_count) * 16
      let kept = UnsafeRawBufferPointer(rebasing: bytes[start...])
      guard try unwinder.walk(entry, head, kept: kept) != nil else { return }
      var same = entry
      same.shared = UInt32(head.stack_bytes)
      let began = monotonicNanoseconds()
      var frames = 0
      for _ in 0..<10 { frames += try unwinder.walk(same, head, kept: nothing)?.frames.count ?? 0 }
      pass.add((10, frames), since: began)
    }
    return pass
  }

  private static func stacks(
    _ capture: Capture, _ unwinder: Unwinder
  ) throws(PerfProfileError) -> [[UInt64]] {
    var stacks: [[UInt64]] = []
    try walk(capture, unwinder) { stacks.append($0.flatMap { [$0.ip, $0.sp] }) }
    return stacks
  }

  private static func walk(
    _ capture: Capture, _ unwinder: Unwinder,
    _ take: (UnsafeBufferPointer<cunwind_frame>) -> Void
  ) throws(PerfProfileError) {
    try capture.spool?.forEach { (entry, bytes) throws(PerfProfileError) in
      let head = bytes.loadUnaligned(as: perfkit_sample.self)
      let start = MemoryLayout<perfkit_sample>.size + Int(head.async_count) * 16
      let kept = UnsafeRawBufferPointer(rebasing: bytes[start...])
      if let stack = try unwinder.walk(entry, head, kept: kept) { take(stack.frames) }
    }
  }
}
