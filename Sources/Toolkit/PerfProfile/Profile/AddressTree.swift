/// Code addresses and the tree of calls between them, before anything has a name.
///
/// It grows with the number of different stacks, not of samples.
struct AddressTree {
  /// A place in the code, wherever its module was loaded.
  struct Location: Hashable {
    /// Index of its module; negative for what is no address.
    let module: Int32
    /// The address in the module's file, or the index of the end that it stands for.
    let address: UInt64
    /// Whether it is a logical caller behind an await.
    var isAsync = false

    static let unknownModule: Int32 = -1
    /// Stands for the callers that a walk did not reach.
    static let endModule: Int32 = -2

    /// Stands for the system call that a thread waits in.
    static let systemCallModule: Int32 = -3

    static let unknown = Location(module: unknownModule, address: 0)

    /// What a thread waits in: the number of a system call, or -1 for none.
    static func systemCall(_ number: Int32) -> Location {
      Location(module: systemCallModule, address: UInt64(UInt32(bitPattern: number)))
    }
  }

  private(set) var locations: [Location] = []
  /// The parent of each node, smaller than the node; -1 for outermost ones.
  private(set) var parents: [Int32] = []
  /// The location of each node.
  private(set) var nodeLocations: [Int32] = []
  private var locationIndices: [Location: Int32] = [:]
  private var children: [UInt64: Int32] = [:]

  /// Returns the node of a location under a parent, making it the first time.
  mutating func node(under parent: Int32, _ location: Location) -> Int32 {
    let place = index(of: location)
    let key = UInt64(UInt32(bitPattern: parent)) << 32 | UInt64(UInt32(bitPattern: place))
    if let node = children[key] { return node }
    let node = Int32(parents.count)
    parents.append(parent)
    nodeLocations.append(place)
    children[key] = node
    return node
  }

  private mutating func index(of location: Location) -> Int32 {
    if let index = locationIndices[location] { return index }
    let index = Int32(locations.count)
    locations.append(location)
    locationIndices[location] = index
    return index
  }
}
