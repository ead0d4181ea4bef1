internal import PerfModel

extension FlameGraph {
  private static let width = 1200.0
  private static let margin = 10.0
  private static let inner = width - 2 * margin
  private static let rowHeight = 18.0
  private static let headHeight = 64.0
  private static let warningHeight = 17.0
  private static let characterWidth = 6.6
  /// Width in pixels below which neighbouring boxes are merged.
  private static let narrowest = 0.3

  /// Returns the flame graph as an SVG file with an embedded script for search and zoom.
  public func svg() -> String {
    let tree = CallTree(data, options: options)
    let inner = Self.inner
    let layout = FlameLayout(tree, narrowest: Self.narrowest / inner)
    let height = top + Double(layout.rows) * Self.rowHeight + 34
    let boxes = layout.boxes.map { box($0, tree) }
    let description = [summary(of: tree)] + warnings.map { "Warning: \($0)" }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Markup.number(Self.width)) \
      \(Markup.number(height))" width="100%" role="img" id="flame" data-inner="\
      \(Markup.number(inner))" data-margin="\(Markup.number(Self.margin))">
      <title>\(Markup.escape(title))</title>
      <desc>\(Markup.escape(description.joined(separator: "\n")))</desc>
      <style>\(Markup.text(PackageResources.flame_svg_css))</style>
      <rect class="page" width="100%" height="100%"/>
      <text class="heading" x="10" y="22">\(Markup.escape(title))</text>
      <text class="dim" x="10" y="40">\(Markup.escape(summary(of: tree)))</text>
      <text class="action" id="reset" x="10" y="57" tabindex="0" role="button">reset zoom</text>
      <text class="action" id="search" x="84" y="57" tabindex="0" role="button">search (/)</text>
      <text class="dim" id="matched" x="160" y="57"></text>
      \(legend(y: 22))\(warningLine)
      <g id="frames">
      \(boxes.joined(separator: "\n"))
      </g>
      <text class="dim" id="detail" x="10" y="\(Markup.number(height - 12))"> </text>
      <script><![CDATA[\(Markup.text(PackageResources.flame_svg_js))]]></script>
      </svg>

      """
  }

  /// The y coordinate of the first row of boxes.
  private var top: Double { Self.headHeight + (warnings.isEmpty ? 0 : Self.warningHeight) }

  /// The warnings on one line; the description contains their full text.
  private var warningLine: String {
    guard !warnings.isEmpty else { return "" }
    let all = warnings.map(\.message).joined(separator: "; ")
    let most = Int(Self.inner / Self.characterWidth) - 10
    return "\n<text class=\"warning\" x=\"10\" y=\"74\">Warning: "
      + "\(Markup.escape(TextWrapping.shortened(all, to: most)))"
      + "<title>\(Markup.escape(warnings.map(\.description).joined(separator: "\n")))</title></text>"
  }

  private func summary(of tree: CallTree) -> String {
    let words = options.words(data.measure)
    guard tree.total.sum > 0 else { return "No samples: \(words)" }
    guard data.isDifference else {
      return "\(words): \(human(tree.total.candidate))\(perUnit)"
    }
    return "\(words)\(perUnit): \(human(tree.total.base)) \(sides.base), "
      + "\(human(tree.total.candidate)) \(sides.candidate); red grew, blue shrank"
      + (significant == nil ? "" : ", grey may be noise")
  }

  private func human(_ weight: Double) -> String {
    NumberFormat.human(weight, dimension)
  }

  private var dimension: Dimension {
    options.state == .running ? data.measure.dimension : options.state.dimension
  }

  private var perUnit: String { data.isPerLaunch ? " per \(sides.unit)" : "" }

  private func box(_ box: FlameLayout.Box, _ tree: CallTree) -> String {
    let inner = Self.inner
    let (x, width) = (Self.margin + box.x * inner, box.width * inner)
    let y = top + Double(box.depth) * Self.rowHeight
    var name = ""
    var tip = "\(box.merged) functions that are too narrow to draw"
    var colour = "hsl(210 6% 80%)"
    if let node = box.node.map({ tree.nodes[$0] }) {
      let function = tree.functions[node.function]
      name = function.name
      tip = tooltip(node, function, tree)
      colour = self.colour(node, function)
    }
    let characters = Int((width - 6) / Self.characterWidth)
    let label = characters >= 3 ? TextWrapping.shortened(name, to: characters) : ""
    let text =
      "<text x=\"\(Markup.number(x + 3))\" y=\"\(Markup.number(y + 13))\">"
      + "\(Markup.escape(label))</text>"
    return
      "<g tabindex=\"-1\" data-x=\"\(Self.fraction(box.x))\" data-w=\"\(Self.fraction(box.width))\" "
      + "data-d=\"\(box.depth)\" data-n=\"\(Markup.escape(name))\"><title>\(Markup.escape(tip))"
      + "</title><rect x=\"\(Markup.number(x))\" y=\"\(Markup.number(y))\" "
      + "width=\"\(Markup.number(max(width - 0.4, 0.3)))\" "
      + "height=\"\(Markup.number(Self.rowHeight - 1))\" fill=\"\(colour)\"/>\(text)</g>"
  }

  /// Returns a fraction of the width with 9 decimals, so that even the narrowest box is exact to
  /// 0.01 pixels when zoomed.
  private static func fraction(_ value: Double) -> String {
    NumberFormat.fixed(value, decimals: 9)
  }

  private func colour(_ node: CallTree.Node, _ function: Profile.Function) -> String {
    guard data.isDifference else {
      return FlamePalette.colour(
        .init(module: function.module), shade: FlamePalette.shade(function.name))
    }
    return FlamePalette.difference(
      base: node.total.base, candidate: node.total.candidate,
      isReal: significant?.contains(function.key) ?? true)
  }

  private func tooltip(
    _ node: CallTree.Node, _ function: Profile.Function, _ tree: CallTree
  ) -> String {
    let place = "\(function.name) (\(function.module))"
    guard data.isDifference else {
      return "\(place): total \(human(node.total.candidate))\(perUnit), "
        + "\(Wording.share(node.total.candidate, of: tree.total.candidate)); self "
        + "\(human(node.own.candidate)), "
        + Wording.share(node.own.candidate, of: tree.total.candidate)
    }
    let change = node.total.candidate - node.total.base
    return "\(place):\(perUnit) \(human(node.total.base)) \(sides.base), "
      + "\(human(node.total.candidate)) \(sides.candidate), "
      + NumberFormat.humanChange(change, dimension)
  }

  private func legend(y: Double) -> String {
    var x = Self.width - Self.margin
    // The summary explains the colour of noise.
    let entries =
      data.isDifference
      ? Array(FlamePalette.changes.dropLast())
      : ModuleKind.allCases.map { ($0.label, FlamePalette.colour($0)) }
    return entries.reversed().map { label, colour in
      x -= Double(label.count) * Self.characterWidth + 26
      return "<rect x=\"\(Markup.number(x))\" y=\"\(Markup.number(y - 9))\" width=\"11\" "
        + "height=\"11\" fill=\"\(colour)\"/>"
        + "<text x=\"\(Markup.number(x + 15))\" y=\"\(Markup.number(y))\">\(label)</text>"
    }.joined()
  }
}
