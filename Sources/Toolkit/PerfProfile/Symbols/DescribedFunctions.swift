/// The starts of functions by unwind information, which stripped files contain too.
final class DescribedFunctions {
  private let images: ModuleImages
  /// A space for each module alone, at the addresses of its file.
  private var spaces: [Int: UnwindSpace] = [:]

  init(images: ModuleImages) {
    self.images = images
  }

  /// Returns the start of the function at an address of a module's file, or nil.
  func start(at address: UInt64, in module: Int) -> UInt64? {
    space(of: module)?.describedFunction(at: address)
  }

  private func space(of module: Int) -> UnwindSpace? {
    if let space = spaces[module] { return space }
    guard let image = images.image(module), let last = image.segments.last,
      let space = try? UnwindSpace(images: images)
    else { return nil }
    let identity = images.identities[module]
    let loaded = LoadedModule(
      path: identity.path, buildID: identity.buildID, bias: 0,
      low: image.segments.first?.address ?? 0, high: last.address + last.memoryBytes)
    let list = ModuleList(time: 0, modules: [loaded])
    try? space.setModules(ModuleMap(list, next: nil, images: images))
    spaces[module] = space
    return space
  }
}
