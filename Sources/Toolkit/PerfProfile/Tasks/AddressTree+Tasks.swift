extension AddressTree {
  /// Adds the stack of a task's wait and returns its innermost node, which stands for the reason.
  ///
  /// The functions that made the task come first, then those of the task, which all await a callee.
  mutating func node(of stack: TaskWaits.Stack, in map: ModuleMap) -> Int32 {
    var node: Int32 = -1
    for address in stack.makers.reversed() {
      // A return address may already belong to the next function.
      node = self.node(under: node, map.location(of: address &- 1) ?? .unknown)
    }
    if !stack.makers.isEmpty { node = self.node(under: node, .madeTask) }
    if stack.isTruncated, let index = StackEnd.allCases.firstIndex(of: .tooDeep) {
      let missing = Location(module: Location.endModule, address: UInt64(index))
      node = self.node(under: node, missing)
    }
    for address in stack.addresses.reversed() {
      var location = map.location(of: address) ?? .unknown
      location.isAsync = true
      node = self.node(under: node, location)
    }
    return self.node(under: node, .wait(stack.kind))
  }
}
