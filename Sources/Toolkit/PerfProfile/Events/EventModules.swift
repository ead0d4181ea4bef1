/// The modules of mappings: where the rest of a mapped file is.
final class EventModules {
  /// The path of the page of code that the kernel maps.
  static let vdso = "[vdso]"

  /// The root of the processes' files; nil for that of this process.
  let root: ProcessRoot?
  private var files: [String: [ElfHeader]?] = [:]

  /// Creates modules of processes.
  ///
  /// - Parameter root: The root of the processes' files; nil for that of this process.
  init(root: ProcessRoot? = nil) {
    self.root = root
  }

  /// Returns the module of a mapping; nil for memory without a file, such as generated code.
  func module(_ mapping: EventRecord.Mapping) -> LoadedModule? {
    let end = mapping.address &+ mapping.bytes
    if mapping.path == Self.vdso {
      return LoadedModule(
        path: mapping.path, buildID: [], bias: mapping.address &- mapping.offset,
        low: mapping.address, high: end)
    }
    guard Self.hasFile(mapping) else { return nil }
    let path = (root?.path ?? "") + mapping.path
    guard let segments = segments(of: path),
      let segment = segments.first(where: { segment in
        let first = UInt64(segment.offset) & ~4095
        return segment.isExecutable && first <= mapping.offset
          && mapping.offset < UInt64(segment.offset + segment.fileBytes)
      }), let first = segments.first, let last = segments.last
    else {
      // The file cannot be read or is no program: it has no names, but its code is known.
      return LoadedModule(
        path: path, buildID: mapping.buildID, bias: mapping.address &- mapping.offset,
        low: mapping.address, high: end)
    }
    let bias =
      mapping.address &- mapping.offset &+ UInt64(segment.offset) &- segment.address
    return LoadedModule(
      path: path, buildID: mapping.buildID, bias: bias,
      low: bias &+ (first.address & ~4095),
      high: bias &+ ((last.address + last.memoryBytes + 4095) & ~4095))
  }

  /// Returns whether a mapping is code of a file or of the kernel, and not generated code.
  static func hasFile(_ mapping: EventRecord.Mapping) -> Bool {
    let path = mapping.path
    return path == vdso
      || path.hasPrefix("/") && !["//", "/memfd:", "/dev/"].contains { path.hasPrefix($0) }
  }

  private func segments(of path: String) -> [ElfHeader]? {
    if let known = files[path] { return known }
    let image = (try? ImageMemory(path: path)).flatMap { try? ElfImage(path: path, memory: $0) }
    files[path] = .some(image?.segments)
    return image?.segments
  }
}
