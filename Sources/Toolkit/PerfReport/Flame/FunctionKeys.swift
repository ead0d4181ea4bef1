internal import PerfModel

/// Numbers for the function keys of a profile; functions with one key count as one function.
struct FunctionKeys {
  /// The plainest function of each key, by key number.
  let representatives: [Profile.Function]
  private let keyOfFunction: [Int]
  private let nodes: [Profile.Node]

  init(_ profile: Profile) {
    var numbers: [String: Int] = [:]
    var representatives: [Profile.Function] = []
    keyOfFunction = profile.functions.map { function in
      if let known = numbers[function.key] {
        if function.isPlainer(than: representatives[known]) { representatives[known] = function }
        return known
      }
      numbers[function.key] = representatives.count
      representatives.append(function)
      return representatives.count - 1
    }
    self.representatives = representatives
    nodes = profile.nodes
  }

  /// Returns the key number of a node's function.
  func key(ofNode node: Int) -> Int { keyOfFunction[nodes[node].function] }

  /// Returns whether a node's function calls itself, directly or indirectly.
  func isRecursive(_ node: Int) -> Bool {
    let key = key(ofNode: node)
    var parent = nodes[node].parent
    while parent >= 0 {
      if self.key(ofNode: parent) == key { return true }
      parent = nodes[parent].parent
    }
    return false
  }
}
