import PerfModel
import PerfTestSupport
import Testing

@testable import PerfReport

struct FigureTests {
  @Test(arguments: [
    (0.0...10, 5, [0.0, 2, 4, 6, 8, 10]), (-1...1, 4, [-1, -0.5, 0, 0.5, 1]),
    (0...8.3, 4, [0, 5]), (0.5...9.5, 5, [2, 4, 6, 8]),
  ])
  func `ticks are 1, 2 or 5 times a power of ten apart`(
    range: ClosedRange<Double>, count: Int, expected: [Double]
  ) {
    #expect(Ticks.values(in: range, count: count) == expected)
  }

  /// Resident memory in MB that differs by a page or two.
  @Test func `ticks far from zero have distinct labels`() {
    let ticks = Ticks.values(in: 523.432...523.436, count: 5)
    #expect(ticks.map(Ticks.label) == ["523.432", "523.433", "523.434", "523.435", "523.436"])
    let fifths = Ticks.values(in: 0...1, count: 5)
    #expect(fifths.map(Ticks.label) == ["0", "0.2", "0.4", "0.6", "0.8", "1"])
  }

  @Test func `an axis ends at round numbers and contains every value`() {
    // A fifth of 0 to 9.4 is 1.88, so the step is 2 and half of it 1: 0 to 10.
    #expect(Ticks.range(around: [3, 9.4]) == 0...10)
    #expect(Ticks.range(around: [50, 53], including: []) == 50...53)
    #expect(Ticks.range(around: [.nan]) == -0.5...0.5)
  }

  @Test func `downsampling keeps the highest bar of each part`() {
    let points = (0..<1000).map { Layer.Point(Double($0), $0 == 503 ? 9 : 1) }
    let fewer = Downsampling.maxima(points, in: 0...1000, buckets: 10)
    #expect(fewer.count == 10)
    #expect(fewer.contains(Layer.Point(503, 9)))
  }

  @Test func `downsampling keeps the lowest and the highest point of each part in order`() {
    let points = (0..<1000).map { Layer.Point(Double($0), $0 == 7 ? 5 : $0 == 31 ? -5 : 0) }
    let fewer = Downsampling.extremes(points, in: 0...1000, buckets: 10)
    #expect(Array(fewer.prefix(2)) == [Layer.Point(7, 5), Layer.Point(31, -5)])
    #expect(fewer.count <= 20)
  }

  @Test func `the bins of a histogram add up to all values`() {
    let bars = Histogram.bars([1, 1, 2, 9, 40], in: 0...10, count: 5)
    // Bins of 2: two values in [0, 2), one in [2, 4), two in [8, 10) including the one beyond.
    #expect(bars == [.init(0, 40), .init(2, 20), .init(8, 40)])
  }

  @Test func `a timeline marks missed frames and the refresh period`() throws {
    let run = SampleRuns.run(variant: "naive", launches: 1, samples: 0, fling: 500)
    let launch = run.measured[0]
    let panel = try #require(FrameFigures.timeline(of: launch)).panels[0]
    let missed = try #require(panel.layers.first { $0.role == .bad })
    guard case .impulses(let bars) = missed.marks else {
      Issue.record("missed frames are no bars")
      return
    }
    #expect(bars.count == launch.frames.count { $0.hitch > 0 })
    let limit = try #require(panel.layers.first { $0.role == .limit })
    guard case .horizontal(let height) = limit.marks else {
      Issue.record("the budget is no line")
      return
    }
    // 120 Hz; vsyncs are integers in nanoseconds.
    #expect(abs(height - 1000.0 / 120) < 1e-5)
  }

  @Test func `a launch of many frames gives few bars without losing a hitch`() throws {
    let run = SampleRuns.run(launches: 1, samples: 0, fling: 60_000)
    let launch = run.measured[0]
    #expect(launch.frames.count > 7000)
    let panel = try #require(FrameFigures.timeline(of: launch)).panels[0]
    for layer in panel.layers {
      if case .impulses(let bars) = layer.marks { #expect(bars.count <= 800) }
    }
    #expect(SVGFigure.inline(panel, label: "").utf8.count < 40_000)
  }

  @Test func `the largest representable numbers are drawn without overflow`() throws {
    let frame = FrameRecord(
      index: 0, interval: 0, slot: .max, began: 0, cost: .max, cpu: .max, overrun: .min,
      hitch: .max, missed: .max)
    let launch = Launch(
      index: 1, isWarmup: false, status: .completed, offset: 0, frames: [frame])
    #expect(FrameFigures.timeline(of: launch) != nil)
    #expect(
      FrameFigures.distribution([(name: nil, role: .primary, launches: [launch])]) != nil)
    let far = Double.greatestFiniteMagnitude
    #expect(Ticks.range(around: [-far, far]) == -far...far)
    #expect(Histogram.bars([far, 0], in: 0...1, count: 2) == [.init(0, 50), .init(0.5, 50)])
    #expect(Sparkline.text(of: [-far, far], width: 2).count == 2)
    var audit = ProfileAudit()
    (audit.complete, audit.truncated) = (.max, .max)
    #expect(RunDocument.sentence(on: audit).contains("50.0% of the stacks complete"))
  }

  @Test func `the sampler's sentence names the engine with the reason for it`() {
    var audit = ProfileAudit()
    #expect(!RunDocument.sentence(on: audit).contains("engine"))
    audit.engineReason = "the kernel sees no allocations"
    #expect(
      RunDocument.sentence(on: audit).hasSuffix("; engine signal (the kernel sees no allocations).")
    )
    audit.engine = .perf
    audit.engineReason = "it changes nothing in the program"
    #expect(
      RunDocument.sentence(on: audit).hasSuffix(
        "; engine perf (it changes nothing in the program)."))
  }

  @Test func `a few very expensive frames do not compress the others`() throws {
    let frames = (0..<200).map { index in
      let cost: UInt64 = index == 7 ? 340_000_000 : 3_000_000
      return FrameRecord(
        index: index, interval: 0, slot: UInt64(index) * 10_000_000, began: 0, cost: cost,
        cpu: cost, overrun: Int64(cost) - 10_000_000, hitch: index == 7 ? 330_000_000 : 0,
        missed: index == 7 ? 33 : 0)
    }
    let launch = Launch(
      index: 1, isWarmup: false, status: .completed, offset: 0, frames: frames)
    let panel = try #require(FrameFigures.timeline(of: launch)).panels[0]
    // Six periods of 10 ms, and a dot at the edge for the frame beyond.
    #expect(panel.y.range == 0...60)
    let beyond = try #require(panel.layers.last)
    #expect(beyond.name == "beyond the axis, up to 340 ms")
    #expect(beyond.marks == .dots([.init(0.07, 60)]))
  }

  @Test(
    arguments: [
      (0, -50, 50, [], true), (90, 78, 135, ["right"], true),
      (20, -137, 436, ["left", "right"], true),
      (130, 110, 150, ["right"], false), (-130, -150, -90, ["left"], false),
    ] as [(Double, Double, Double, [String], Bool)])
  func `an interval that continues beyond an edge has an arrow`(
    value: Double, low: Double, high: Double, edges: [String], hasDot: Bool
  ) {
    let interval = Layer.Interval(row: 0, value: value, low: low, high: high)
    let panel = Panel(
      title: "", x: Axis(label: "%", range: -100...100), y: Axis(label: "", categories: ["wall"]),
      layers: [Layer(nil, .bad, .intervals([interval]))])
    let (plot, drawing) = (PanelLayout(panel).plot, SVGPanel(panel).elements)
    let found = [("left", plot.left), ("right", plot.right)].filter {
      drawing.contains("<path class=\"f bad\" d=\"M\(Markup.number($0.1)) ")
    }
    #expect(found.map(\.0) == edges)
    #expect(drawing.contains("<circle") == hasDot)

    // gnuplot draws the same: arrows in the last 0.5 % of the axis, and no dot beyond it.
    let figure = Figure(id: "f", title: "", summary: "", panels: [panel])
    let script = GnuplotScript(figure: figure, format: .png).text
    let arrows = [("left", "-99 0 -1"), ("right", "99 0 1")]
    #expect(arrows.filter { script.contains("\n\($0.1)\n") }.map(\.0) == edges)
    #expect(script.contains("with vectors head filled") == !edges.isEmpty)
    #expect(script.contains("\n\(Int(value)) 0 ") == hasDot)
  }

  @Test(arguments: ["", "wall"], [1, 2, 4, 9])
  func `each row of a gnuplot legend has its place below the titles`(
    panelTitle: String, names: Int
  ) throws {
    let name = String(repeating: "n", count: 40)
    let panel = Panel(
      title: panelTitle, x: Axis(label: "", range: 0...1), y: Axis(label: "", range: 0...1),
      layers: (0..<names).map { _ in Layer(name, .primary, .horizontal(0.5)) })
    let figure = Figure(id: "f", title: "Title", summary: "", panels: [panel])
    let script = GnuplotScript(figure: figure, format: .png).text
    func words(_ start: String) throws -> [Substring] {
      let line = try #require(script.split(separator: "\n").first { $0.hasPrefix(start) })
      return line.split(separator: " ")
    }
    // A column takes 10 pixels per letter and 45 more: two fit into the plot's 1200 - 84 - 28.
    let key = try words("set key at graph 0, screen ")
    #expect(key.suffix(2) == ["maxcols", "2"])
    let rows = Double((names + 1) / 2)
    // The distance from the top of the drawing, which is 600 pixels high; gnuplot uses 17.4 per
    // row.
    let height = try #require(Double(key[6]))
    let bottom = 600 * (1 - height)
    // The letters of a title end 10 or 8 pixels below its middle.
    let title = panelTitle.isEmpty ? 26.0 + 10 : 44.0 + 12 + 8
    #expect(bottom - 17.4 * rows >= title)
    let margin = try #require(try words("set tmargin ").last.flatMap { Double($0) })
    #expect(bottom < 600 * (1 - margin))
  }

  @Test(arguments: [Panel.Shape.wide, .half], ["", "wall"])
  func `a legend of many names stays within the drawing above the plot`(
    shape: Panel.Shape, title: String
  ) throws {
    func layout(_ names: [String]) -> (layout: PanelLayout, drawing: String) {
      let panel = Panel(
        title: title, x: Axis(label: "", range: 0...1), y: Axis(label: "", range: 0...1),
        layers: names.map { Layer($0, .limit, .vertical(0.5)) }, shape: shape)
      return (PanelLayout(panel), SVGPanel(panel).elements)
    }
    let names = (0..<9).map { "+8.25% with commit \($0)777777777" }
    let (one, _) = layout(Array(names.prefix(1)))
    let (many, drawing) = layout(names)
    #expect(many.legend.map(\.words) == names)
    for entry in many.legend {
      let x = entry.x + 18
      #expect(x + Double(entry.words.count) * PanelLayout.characterWidth <= many.width)
      // The baseline of the first row is at 14 or 36; letters extend 3 pixels below it.
      let y = (title.isEmpty ? 14 : 36) + entry.y
      #expect(y + 3 < many.plot.top)
      let place = "x=\"\(Markup.number(x))\" y=\"\(Markup.number(y))\""
      #expect(drawing.contains("<text class=\"legend\" \(place)>\(entry.words)<"))
    }
    // All places differ, and the plot is as high as with a single name.
    #expect(Set(many.legend.map { "\($0.x) \($0.y)" }).count == names.count)
    #expect(many.plot.bottom - many.plot.top == one.plot.bottom - one.plot.top)
    #expect(many.plot.bottom < many.height)

    let (long, _) = layout([String(repeating: "n", count: 300), "other"])
    #expect(long.legend.map(\.y) == [0, 18])
    let words = try #require(long.legend.first?.words)
    #expect(words.contains("…"))
    #expect(18 + Double(words.count) * PanelLayout.characterWidth <= long.width)
  }

  /// With six digits the limits of this range would be equal.
  @Test func `gnuplot gets enough digits for a narrow range far from zero`() {
    func panel(_ range: ClosedRange<Double>, _ height: Double) -> Panel {
      Panel(
        title: "", x: Axis(label: "", range: 0...1), y: Axis(label: "", range: range),
        layers: [Layer(nil, .limit, .horizontal(height))])
    }
    let panels = [panel(5234.321...5234.3211, 5234.32105), panel(0...9, 1.23456789)]
    let figure = Figure(id: "f", title: "", summary: "", panels: panels)
    let script = GnuplotScript(figure: figure, format: .png).text
    #expect(script.contains("\nset yrange [5234.321:5234.3211]\n"))
    #expect(script.contains("\n0 5234.32105\n1 5234.32105\n"))
    // Ticks have the same number of digits, the following panel has not: 5234.3211 is 5.2 * 10^7
    // times the range.
    let formats = script.split(separator: "\n").filter { $0.contains("set format") }
    #expect(formats == ["set format '%.13g'", "unset format"])
    #expect(script.contains("\nset yrange [0:9]\n"))
    #expect(script.contains("\n0 1.23457\n1 1.23457\n"))
  }

  @Test func `a chart without data is an error with the reason`() {
    let document = SampleDocuments.run(samples: 0, fling: 0)
    #expect(throws: ReportError.self) { try document.figure(.frames) }
    let empty = SampleDocuments.document(of: SampleDocuments.run(spans: []))
    #expect(
      throws: ReportError.nothingToDraw(chart: "comparison", reason: "it needs two runs")
    ) { try empty.figure(.comparison) }
  }

  @Test func `the error of a chart without data names the kinds with data`() throws {
    let series = TimeSeries(name: "rss", dimension: .size, times: [1000, 9000], values: [1, 2])
    let run = SampleDocuments.run(spans: [], series: [series])
    let error = try #require(throws: ReportError.self) {
      try SampleDocuments.document(of: run).figure(.frames)
    }
    #expect(
      error.description
        == "cannot draw the chart 'frames': no measured launch of \(run.id) has frames. Pass "
        + "another --kind: memory.")
  }

  @Test func `a series of one reading is drawn as a dot`() throws {
    let series = TimeSeries(name: "cpu", dimension: .ratio, times: [1000], values: [0.5])
    let run = SampleDocuments.run(spans: [], series: [series])
    let layers = try SampleDocuments.document(of: run).figure(.cpu).panels[0].layers
    #expect(layers.map(\.marks) == [.dots([Layer.Point(1e-6, 50)])])
  }

  @Test func `every chart is well-formed XML`() throws {
    let run = SampleDocuments.run(variant: "naive")
    let comparison = SampleComparisons.naiveAgainstOptimised()
    let figures =
      try ChartKind.allCases.filter { ![.comparison, .ladder, .history].contains($0) }.map {
        try run.figure($0)
      }
      + [ChartKind.comparison, .distribution, .memory, .cpu].map { try comparison.figure($0) }
    for figure in figures {
      #expect(MarkupCheck.problem(in: SVGFigure.document(figure)) == nil, "\(figure.id)")
    }
  }
}
