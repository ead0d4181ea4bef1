extension Profile {
  /// Returns the profile without some nodes, whose samples belong to their callers.
  ///
  /// - Parameter isLeftOut: Whether each node is left out. An outermost node stays.
  /// - Returns: The profile with other nodes and the same functions.
  /// - Complexity: O(*nodes* + *counts* + *samples*).
  public func leavingOut(_ isLeftOut: [Bool]) -> Profile {
    var nodes: [Node] = []
    var numbers: [Node: Int] = [:]
    var places: [Int] = []
    places.reserveCapacity(self.nodes.count)
    for (index, node) in self.nodes.enumerated() {
      let parent = node.parent < 0 ? -1 : places[node.parent]
      if isLeftOut[index], parent >= 0 {
        places.append(parent)
        continue
      }
      let new = Node(
        parent: parent, function: node.function, line: node.line, isInlined: node.isInlined,
        isAsync: node.isAsync)
      let number = numbers[new] ?? nodes.count
      if number == nodes.count {
        numbers[new] = number
        nodes.append(new)
      }
      places.append(number)
    }
    return Profile(
      functions: functions, nodes: nodes, threads: threads, phases: phases, signposts: signposts,
      counts: counts.map { count in
        Count(
          launch: count.launch, node: places[count.node], thread: count.thread, phase: count.phase,
          signpost: count.signpost, frameClass: count.frameClass, state: count.state,
          samples: count.samples, weight: count.weight)
      },
      timeline: timeline.mapValues { moments in
        moments.map { moment in
          Moment(
            time: moment.time, node: places[moment.node], thread: moment.thread,
            serial: moment.serial, phase: moment.phase, signpost: moment.signpost,
            frameClass: moment.frameClass, state: moment.state, cpu: moment.cpu)
        }
      }, audit: audit, modules: modules)
  }
}

extension Run {
  /// Returns the run with another form of its profile.
  public func mappingProfile(_ transform: (Profile) -> Profile) -> Run {
    var run = self
    run.profile = profile.map(transform)
    return run
  }
}
