internal import PerfModel

/// The modules of all launches of a run, and their files as far as they can be read.
///
/// A module is known by path and build id: its address differs from launch to launch.
final class ModuleImages {
  /// A module whatever its place in memory.
  struct Identity: Hashable {
    let path: String
    let buildID: [UInt8]

    /// The file name, as `libc.so.6`.
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
  private var indices: [Identity: Int] = [:]

  /// What was wrong with files so far.
  var warnings: [RunWarning] {
    openingWarnings
      + images.compactMap { image in
        image.flatMap { $0.memory.isCutOff ? Self.changed($0.path) : nil }
      }
  }

  /// Returns the index of a module, and reads its file the first time.
  func index(of module: LoadedModule) -> Int {
    let identity = Identity(path: module.path, buildID: module.buildID)
    if let index = indices[identity] { return index }
    let index = identities.count
    indices[identity] = index
    identities.append(identity)
    images.append(open(module))
    return index
  }

  /// Returns the file of a module, nil when it is gone or not the one that was loaded.
  func image(_ index: Int) -> ElfImage? { images[index] }

  /// Returns the symbol table of a module's file, read the first time; nil without a file.
  func symbols(_ index: Int) -> ElfSymbols? {
    if let table = tables[index] { return table }
    let table = images[index].map(ElfSymbols.init)
    tables[index] = table
    return table
  }

  /// Returns the symbol table of a module's file if it was read.
  func knownSymbols(_ index: Int) -> ElfSymbols? { tables[index] }

  /// Keeps a symbol table that somebody else has read.
  func keep(_ symbols: ElfSymbols, of index: Int) { tables[index] = symbols }

  /// Returns the same files under the same indices, of which nothing has been read.
  func unread() -> ModuleImages {
    let copy = ModuleImages()
    for identity in identities {
      _ = copy.index(
        of: LoadedModule(
          path: identity.path, buildID: identity.buildID, bias: 0, low: 0, high: 0))
    }
    return copy
  }

  private func open(_ module: LoadedModule) -> ElfImage? {
    do {
      let memory =
        module.isKernelPage
        ? try ImageMemory(kernelPage: ()) : try ImageMemory(path: module.path)
      let image = try ElfImage(path: module.path, memory: memory)
      if module.buildID.isEmpty || image.buildID.isEmpty || image.buildID == module.buildID {
        return image
      }
      openingWarnings.append(Self.changed(module.path))
    } catch {
      openingWarnings.append(
        RunWarning(
          code: "symbols.module_unreadable", message: "\(error)",
          remedy: "Its functions have no names, and stacks end there."))
    }
    return nil
  }

  private static func changed(_ path: String) -> RunWarning {
    RunWarning(
      code: "symbols.module_changed",
      message: "'\(path)' is no longer the file that was measured",
      remedy: "Do not rebuild while measuring; its functions have no names in this profile.")
  }
}
