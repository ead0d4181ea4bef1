internal import PerfModel

/// The call tree of code addresses, before symbolication.
///
/// Its size grows with the number of different stacks, not with the number of samples.
struct AddressTree {
  /// An address in a module, independent of where the module was loaded.
  struct Location: Hashable {
    /// The index of the module; negative if the location is no address.
    let module: Int32
    /// The address in the module's file, or the index of the stack end.
    let address: UInt64
    /// Whether it is a logical caller that awaits the callee.
    var isAsync = false

    static let unknownModule: Int32 = -1
    /// The module of a node for callers that the walk did not reach.
    static let endModule: Int32 = -2

    /// The module of a node for the system call in which a thread waits.
    static let systemCallModule: Int32 = -3

    /// The module of a node for a function of the kernel, by the address of its start; 0 if unknown.
    static let kernelModule: Int32 = -4

    /// The module of a node for a function of generated code, by the number of its name.
    static let generatedModule: Int32 = -5

    /// The module of a node for what a Swift task waits for, and of the node between a task and the
    /// functions that made it.
    static let taskModule: Int32 = -6

    static let unknown = Location(module: unknownModule, address: 0)
    /// The node between the functions that made a task and those of the task.
    static let madeTask = Location(module: taskModule, address: .max)

    /// Returns the location of what a task waits for.
    static func wait(_ kind: TaskWaits.Kind) -> Location {
      Location(module: taskModule, address: UInt64(kind.rawValue))
    }

    /// Returns the location of a system call by its number; -1 means no system call.
    static func systemCall(_ number: Int32) -> Location {
      Location(module: systemCallModule, address: UInt64(UInt32(bitPattern: number)))
    }
  }

  /// A location under one chain of callers.
  struct Node: Hashable {
    /// The caller's node, which is smaller than the node; -1 for an outermost node.
    let parent: Int32
    /// The index of the location.
    let location: Int32
  }

  private var distinctLocations = Numbering<Location>()
  private var distinctNodes = Numbering<Node>()
  private var distinctNames = Numbering<String>()

  var locations: [Location] { distinctLocations.all }
  var nodes: [Node] { distinctNodes.all }
  /// The names of functions of generated code.
  var names: [String] { distinctNames.all }

  /// Returns the location of a function of generated code.
  mutating func generatedFunction(_ name: String) -> Location {
    Location(
      module: Location.generatedModule, address: UInt64(distinctNames.number(of: name)))
  }

  /// Returns whether the location of a node is unknown.
  func isUnknown(_ node: Int32) -> Bool {
    distinctLocations.all[Int(distinctNodes.all[Int(node)].location)] == .unknown
  }

  /// Returns the child of a parent at a location, and creates it if necessary.
  mutating func node(under parent: Int32, _ location: Location) -> Int32 {
    let location = Int32(distinctLocations.number(of: location))
    return Int32(distinctNodes.number(of: Node(parent: parent, location: location)))
  }
}
