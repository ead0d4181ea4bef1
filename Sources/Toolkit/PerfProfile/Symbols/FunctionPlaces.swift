internal import Glibc
internal import PerfModel

/// Functions identified by their start in the file.
///
/// This identity compares the samples of two profilers independently of names: several symbols
/// share an address, and stripped programs have none. For `Scripts/bench profiler`.
public final class FunctionPlaces {
  /// A function of a file.
  public struct Function: Hashable {
    /// The path of the file after following symbolic links.
    public let path: String
    /// The first address in the file; nil for all unknown code of the file.
    public let start: UInt64?
  }

  private let images = ModuleImages()
  private let described: DescribedFunctions
  private lazy var kernel = KernelSymbols()
  private var paths: [Int: String] = [:]
  /// The functions of locations, because samples repeat locations.
  private var known: [AddressTree.Location: Function] = [:]

  /// Creates an empty collection.
  public init() {
    described = DescribedFunctions(images: images)
  }

  /// Returns the CPU time that each function used itself, including inlined functions and its system calls.
  ///
  /// - Returns: Nanoseconds by function and the number of samples.
  /// - Throws: `spool` if samples cannot be read back, `outOfMemory`.
  public func selfTime(
    of captures: [Capture]
  ) throws(PerfProfileError) -> (nanoseconds: [Function: Double], samples: Int) {
    var nanoseconds: [Function: Double] = [:]
    var count = 0
    for capture in captures {
      var tree = AddressTree()
      var reader = SampleReader(images: images, kernel: { self.kernel })
      let samples = try reader.read(capture, into: &tree).filter { $0.allocation == nil }
      let weights = SampleWeights(samples, of: capture)
      for (place, sample) in samples.enumerated() where weights.states[place] == .running {
        var node = tree.nodes[Int(sample.node)]
        while tree.locations[Int(node.location)].module == AddressTree.Location.kernelModule,
          node.parent >= 0
        {
          node = tree.nodes[Int(node.parent)]
        }
        let function = function(at: tree.locations[Int(node.location)])
        nanoseconds[function, default: 0] += weights.weights[place]
        count += 1
      }
    }
    return (nanoseconds, count)
  }

  /// Returns the function that contains a byte of a mapped file.
  ///
  /// - Parameters:
  ///   - path: The file's path, or `[vdso]`.
  ///   - offset: The offset of the byte in the file.
  /// - Returns: The function, or the file's unknown code.
  public func function(path: String, offset: UInt64) -> Function {
    let module = images.index(
      of: LoadedModule(path: path, buildID: [], bias: 0, low: 0, high: 0))
    let address = images.image(module)?.address(of: offset)
    return address.map {
      function(at: AddressTree.Location(module: Int32(clamping: module), address: $0))
    } ?? Function(path: path, start: nil)
  }

  /// Returns a function's symbol, or its file and address.
  public func name(of function: Function) -> String {
    let file = ModuleImages.Identity(path: function.path, buildID: []).name
    guard let start = function.start else { return "\(file) (unknown code)" }
    let module = images.identities.indices.first { path(of: $0) == function.path }
    let symbols = module.flatMap { images.symbols($0) }
    return symbols?.name(at: start) ?? "\(file)+0x\(String(start, radix: 16))"
  }

  private func function(at location: AddressTree.Location) -> Function {
    if let function = known[location] { return function }
    let module = Int(location.module)
    guard module >= 0 else { return Function(path: "", start: nil) }
    // Assembly often has a symbol but no unwind information.
    let start =
      described.start(at: location.address, in: module)
      ?? images.symbols(module)?.start(at: location.address)
    let function = Function(path: path(of: module), start: start)
    known[location] = function
    return function
  }

  /// Follow symbolic links: one profiler reports the link of a library, the other one its file.
  private func path(of module: Int) -> String {
    if let path = paths[module] { return path }
    let given = images.identities[module].path
    let isKernels = LoadedModule(path: given, buildID: [], bias: 0, low: 0, high: 0).isKernelPage
    let text = realpath(given, nil)
    defer { free(text) }
    let path = isKernels ? "[vdso]" : text.map { String(cString: $0) } ?? given
    paths[module] = path
    return path
  }
}
