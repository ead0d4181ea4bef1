internal import CUnwind

/// The memory of a measured process for libunwind: its modules' files at their addresses.
final class UnwindSpace {
  private static let pageMask: UInt64 = 4095

  /// The address of tables built by PerfKit; no process has memory there.
  private static let ownTables: UInt64 = 0xffff_f000_0000_0000

  private var space: OpaquePointer?
  private var ownMemory: [UnsafeMutableBufferPointer<Int32>] = []
  private let images: ModuleImages
  private var map: ModuleMap?

  /// Creates an empty space.
  ///
  /// - Parameters:
  ///   - images: The files of all modules.
  ///   - usesRows: False makes libunwind do every step.
  /// - Throws: `outOfMemory`.
  init(images: ModuleImages, usesRows: Bool = true) throws(PerfProfileError) {
    self.images = images
    // The space is destroyed with this object, so an unretained pointer is safe.
    let context = Unmanaged.passUnretained(self).toOpaque()
    space = cunwind_space_create(
      { context, address in
        guard let context else { return 0 }
        let owner = Unmanaged<UnwindSpace>.fromOpaque(context).takeUnretainedValue()
        return owner.functionStart(at: address) ?? 0
      }, context)
    guard let space else { throw .outOfMemory }
    if !usesRows { cunwind_space_forgo_rows(space) }
  }

  deinit {
    cunwind_space_destroy(space)
    for memory in ownMemory { memory.deallocate() }
  }

  /// Replaces the modules by a launch's.
  ///
  /// - Parameters:
  ///   - map: The modules.
  ///   - generated: The code without a module.
  /// - Throws: `outOfMemory`.
  func setModules(
    _ map: ModuleMap, generated: GeneratedCode = GeneratedCode()
  ) throws(PerfProfileError) {
    guard let space else { throw .outOfMemory }
    self.map = map
    var modules: [cunwind_module] = []
    var segments: [cunwind_segment] = []
    let oldMemory = ownMemory
    ownMemory = []
    // The space may use the old tables until it has the new ones.
    defer { for memory in oldMemory { memory.deallocate() } }
    var tables: [cunwind_segment] = []
    for entry in map.entries {
      let image = images.image(entry.module)
      modules.append(module(entry, image, &tables))
      guard let image else {
        // Code in an unreadable file is still code: the walk ends in it, not before it.
        append(
          cunwind_segment(
            low: entry.low, file_high: entry.low, high: entry.high, bytes: nil, executable: true,
            generated: false),
          to: &segments)
        continue
      }
      for segment in image.segments {
        append(place(segment, of: image, bias: entry.bias), to: &segments)
      }
    }
    let free = generated.ranges(outside: segments.map { $0.low..<$0.high })
    if !free.isEmpty {
      segments += free.map { range in
        cunwind_segment(
          low: range.lowerBound, file_high: range.lowerBound, high: range.upperBound, bytes: nil,
          executable: true, generated: true)
      }
      segments.sort { $0.low < $1.low }
    }
    guard
      cunwind_space_set_modules(
        space, modules, modules.count, segments + tables, segments.count + tables.count) == 0
    else { throw .outOfMemory }
  }

  /// Walks a stack; see `cunwind_walk`.
  func walk(
    _ sample: inout cunwind_sample, into frames: UnsafeMutableBufferPointer<cunwind_frame>
  ) -> cunwind_result {
    guard let space, let base = frames.baseAddress else {
      return cunwind_result(count: 0, spliced: 0, end: CUNWIND_TOO_DEEP)
    }
    return cunwind_walk(space, &sample, base, frames.count)
  }

  /// Returns the start of the function at an address, from the symbols of its file.
  private func functionStart(at address: UInt64) -> UInt64? {
    guard let entry = map?.entry(at: address) else { return nil }
    return images.symbols(entry.module)?.start(at: address &- entry.bias).map { $0 &+ entry.bias }
  }

  /// Returns the start of the function at an address, from unwind information.
  func describedFunction(at address: UInt64) -> UInt64? {
    let start = space.map { cunwind_function_at($0, address) } ?? 0
    return start == 0 ? nil : start
  }

  // MARK: - Placing

  /// Returns a module with its search table.
  ///
  /// Without a table libunwind knows no function of the module.
  private func module(
    _ entry: ModuleMap.Entry, _ image: ElfImage?, _ tables: inout [cunwind_segment]
  ) -> cunwind_module {
    var module = cunwind_module(
      low: entry.low, high: entry.high, table_base: entry.bias, table: entry.bias, table_count: 0)
    guard let image else { return module }
    if let table = image.unwindTable {
      module.table_base &+= table.base
      module.table &+= table.address
      module.table_count = table.count
      return module
    }
    let table = images.unwindTable(entry.module)
    guard !table.isEmpty else { return module }
    let memory = UnsafeMutableBufferPointer<Int32>.allocate(capacity: table.count)
    _ = memory.initialize(from: table)
    ownMemory.append(memory)
    let bytes = UnsafeRawBufferPointer(memory)
    let low = tables.last?.high ?? Self.ownTables
    tables.append(
      cunwind_segment(
        low: low, file_high: low + UInt64(bytes.count),
        high: low + ((UInt64(bytes.count) + Self.pageMask) & ~Self.pageMask),
        bytes: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), executable: false,
        generated: false))
    module.table_base &+= image.segments.first?.address ?? 0
    module.table = low
    module.table_count = UInt64(table.count / 2)
    return module
  }

  /// Returns a segment as the loader maps it: whole pages with the file's content.
  private func place(
    _ segment: ElfHeader, of image: ElfImage, bias: UInt64
  ) -> cunwind_segment {
    let file = image.memory.bytes
    let head = min(Int(segment.address & Self.pageMask), segment.offset)
    let low = segment.address &- UInt64(head)
    let end = segment.address &+ segment.memoryBytes
    let high = (end &+ Self.pageMask) & ~Self.pageMask
    var fileBytes = segment.fileBytes + head
    if segment.memoryBytes == UInt64(segment.fileBytes) {
      // Without a zeroed part, the rest of the last page is the file's content.
      fileBytes = min(Int(high &- low), file.count - (segment.offset - head))
    }
    let start = file.baseAddress.map { $0 + (segment.offset - head) }
    return cunwind_segment(
      low: bias &+ low, file_high: bias &+ low &+ UInt64(fileBytes), high: bias &+ high,
      bytes: start?.assumingMemoryBound(to: UInt8.self), executable: segment.isExecutable,
      generated: false)
  }

  /// Appends a segment, cut where it overlaps the one before it.
  private func append(_ segment: cunwind_segment, to segments: inout [cunwind_segment]) {
    var segment = segment
    let end = segments.last?.high ?? 0
    if segment.low < end {
      let cut = end - segment.low
      let fileBytes = segment.file_high &- segment.low
      if let bytes = segment.bytes { segment.bytes = bytes + Int(min(cut, fileBytes)) }
      segment.low = end
      segment.file_high = max(segment.file_high, end)
    }
    if segment.low < segment.high { segments.append(segment) }
  }
}
