internal import Glibc
internal import PerfModel

/// The modules of all launches of a run, and their files.
///
/// Path and build id identify a module; its address differs from launch to launch.
final class ModuleImages {
  /// A module, independent of its address.
  struct Identity: Hashable {
    let path: String
    let buildID: [UInt8]

    /// Whether it is the C library, in which each thread begins.
    var isCLibrary: Bool {
      ["libc.so", "libc-", "ld-musl"].contains { name.hasPrefix($0) }
    }

    /// The file name, such as `libc.so.6`.
    var name: String {
      let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
      let name = slash.map { path[path.utf8.index(after: $0)...] } ?? path[...]
      return name.isEmpty ? (path.isEmpty ? "[unknown]" : path) : String(name)
    }
  }

  private(set) var identities: [Identity] = []
  private var openingWarnings: [RunWarning] = []
  private var images: [ElfImage?] = []
  private var tables: [Int: ElfSymbols] = [:]
  private var unwindTables: [Int: [Int32]] = [:]
  private var indices: [Identity: Int] = [:]

  /// The problems with files so far.
  var warnings: [RunWarning] {
    openingWarnings
      + images.compactMap { image in
        image.flatMap { $0.memory.isCutOff ? Self.changed($0.path) : nil }
      }
  }

  /// Returns the index of a module, and opens its file the first time.
  ///
  /// - Parameters:
  ///   - module: The module.
  ///   - seen: When the module was loaded, in seconds since 1970; nil if that is unknown.
  /// - Returns: The index.
  func index(of module: LoadedModule, loadedBy seen: Double? = nil) -> Int {
    let identity = Identity(path: module.path, buildID: module.buildID)
    if let index = indices[identity] { return index }
    let index = identities.count
    indices[identity] = index
    identities.append(identity)
    images.append(open(module, loadedBy: seen))
    return index
  }

  /// Returns the file of a module; nil if it is gone or not the loaded one.
  func image(_ index: Int) -> ElfImage? { images[index] }

  /// Returns the symbol table of a module's file, and reads it the first time; nil without a file.
  func symbols(_ index: Int) -> ElfSymbols? {
    if let table = tables[index] { return table }
    let table = images[index].map(ElfSymbols.init)
    tables[index] = table
    return table
  }

  /// Returns the unwind search table of a module without one in its file, relative to the address of its
  /// first segment; empty if it has no unwind information.
  func unwindTable(_ index: Int) -> [Int32] {
    if let table = unwindTables[index] { return table }
    let table = images[index].flatMap { image in
      UnwindTableBuilder.table(of: image, base: image.segments.first?.address ?? 0)
    }
    unwindTables[index] = table ?? []
    return table ?? []
  }

  /// Returns the same files under the same indices, without the symbol tables read so far.
  func unread() -> ModuleImages {
    let copy = ModuleImages()
    for identity in identities {
      _ = copy.index(
        of: LoadedModule(
          path: identity.path, buildID: identity.buildID, bias: 0, low: 0, high: 0))
    }
    return copy
  }

  private func open(_ module: LoadedModule, loadedBy seen: Double?) -> ElfImage? {
    do {
      let memory =
        module.isKernelPage
        ? try ImageMemory(kernelPage: ()) : try ImageMemory(path: module.path)
      let image = try ElfImage(path: module.path, memory: memory)
      // Without a build id, only the file's time tells that it was replaced.
      let isSame =
        module.buildID.isEmpty && image.buildID.isEmpty
        ? seen.map { Self.changeTime(of: module.path) <= $0 + fileTimeResolution } ?? true
        : module.buildID.isEmpty || image.buildID.isEmpty || image.buildID == module.buildID
      if isSame || module.isKernelPage { return image }
      openingWarnings.append(Self.changed(module.path))
    } catch {
      let unreadable = RunWarning(
        code: "symbols.module_unreadable", message: error.message,
        remedy: "Its functions have no names, and stacks end in it. Make the file readable.")
      openingWarnings.append(Self.replaced(module.path) ?? unreadable)
    }
    return nil
  }

  /// Returns when a file was last written or put in its place, in seconds since 1970; 0 if it is gone.
  private static func changeTime(of path: String) -> Double {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_ctim.seconds : 0
  }

  /// Returns the warning about a file that was replaced or removed under a running process; nil for
  /// other paths.
  private static func replaced(_ path: String) -> RunWarning? {
    // proc_pid_maps(5)
    let mark = " (deleted)"
    guard path.hasSuffix(mark) else { return nil }
    return RunWarning(
      code: "symbols.module_changed",
      message: "'\(path.dropLast(mark.count))' was replaced or removed after the process had "
        + "loaded it, so its functions have no names",
      remedy: "Stacks end in it. Restart the process, and attach to it again.")
  }

  private static func changed(_ path: String) -> RunWarning {
    RunWarning(
      code: "symbols.module_changed",
      message: "'\(path)' has changed since it was measured, so its functions have no names",
      remedy: "Do not rebuild or update it while measuring.")
  }
}
