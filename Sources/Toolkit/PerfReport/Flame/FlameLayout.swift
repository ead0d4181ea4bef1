/// The boxes of a flame graph, as fractions of its width.
struct FlameLayout {
  /// A box for one function, or for several neighbours that are too narrow to draw.
  struct Box {
    /// Index of the tree's node; nil for merged neighbours.
    let node: Int?
    /// The number of merged neighbours, without their descendants.
    let merged: Int
    let depth: Int
    /// The left edge, 0...1.
    let x: Double
    let width: Double
  }

  private(set) var boxes: [Box] = []
  private(set) var rows = 1
  private let narrowest: Double
  private let tree: CallTree

  /// Lays out a tree; neighbours narrower than `narrowest` (a fraction of the width) are merged.
  init(_ tree: CallTree, narrowest: Double) {
    self.tree = tree
    self.narrowest = narrowest
    let whole = tree.total.sum
    guard whole > 0 else { return }
    place(tree.roots, at: 0, scale: 1 / whole, depth: 0)
    rows = (boxes.map(\.depth).max() ?? 0) + 1
  }

  private mutating func place(_ children: [Int], at start: Double, scale: Double, depth: Int) {
    var x = start
    var narrow: (count: Int, start: Double, width: Double) = (0, start, 0)
    for child in children {
      let width = tree.nodes[child].total.sum * scale
      if width < narrowest {
        if narrow.count == 0 { narrow.start = x }
        narrow.count += 1
        narrow.width += width
      } else {
        boxes.append(Box(node: child, merged: 1, depth: depth, x: x, width: width))
        place(tree.nodes[child].children, at: x, scale: scale, depth: depth + 1)
      }
      x += width
    }
    if narrow.count > 0, narrow.width >= narrowest {
      boxes.append(
        Box(node: nil, merged: narrow.count, depth: depth, x: narrow.start, width: narrow.width))
    }
  }
}
