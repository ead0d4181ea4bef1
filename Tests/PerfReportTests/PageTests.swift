import Foundation
import PerfModel
import PerfTestSupport
import Testing

@testable import PerfReport

/// Reports in a browser, used by mouse and keyboard.
@Suite(.enabled(if: Browser.program != nil, "Chromium is not installed"), .serialized)
struct PageTests {
  private static let run = SampleDocuments.run(variant: "naive", samples: 3000, fling: 1000)
  private static let comparison = SampleComparisons.naiveAgainstOptimised()

  // MARK: The page

  /// Elements that are wider than their visible part and let readers scroll.
  private static let scrolledSideways = """
    [document.documentElement, ...document.querySelectorAll("body *")]
      .filter((e) => e.scrollWidth > e.clientWidth + 1 && (e === document.documentElement
        || ["auto", "scroll"].includes(getComputedStyle(e).overflowX)))
      .map((e) => e.outerHTML.slice(0, 80)).join("\\n")
    """

  /// Names of elements that more than one element has, to which links could not lead.
  private static let repeatedNames = """
    [...document.querySelectorAll("[id]")].map((e) => e.id)
      .filter((id, place, all) => all.indexOf(id) !== place).join("\\n")
    """

  @Test(arguments: [360, 640, 900, 1600], [false, true])
  func `a page prints no console message and is not wider than the window`(
    width: Int, isDark: Bool
  ) throws {
    let browser = try Browser()
    for html in [Self.run.html(), Self.comparison.html()] {
      try browser.open(html, width: width, height: 800, isDark: isDark)
      try browser.run("for (const part of document.querySelectorAll('details')) part.open = true;")
      #expect(try browser.value(Self.scrolledSideways) == "")
      #expect(try browser.value(Self.repeatedNames) == "")
      // A narrow page shows each row as a card, whose long values may continue.
      if width > 600 {
        let numbers = ":is(#key-metrics, #functions) :is(thead th, td.number)"
        #expect(try browser.value(Self.brokenWords(in: numbers)) == "")
      }
      #expect(browser.messages == [])
    }
  }

  /// Returns a script that lists the words in cells that continue on another line.
  private static func brokenWords(in cells: String) -> String {
    """
    [...document.querySelectorAll("\(cells)")].flatMap((cell) => [...cell.childNodes])
      .filter((node) => node.nodeType === Node.TEXT_NODE)
      .flatMap((node) => [...node.data.matchAll(/[^\\s]+/g)].filter((word) => {
        const range = document.createRange();
        range.setStart(node, word.index);
        range.setEnd(node, word.index + word[0].length);
        return range.getClientRects().length > 1;
      })).map((word) => word[0]).join()
    """
  }

  @Test(arguments: [640, 900, 1100])
  func `a table with notes breaks no heading or number within a word`(width: Int) throws {
    let run = SampleRuns.run(launches: 1, samples: 0, fling: 0)
    let metrics = ["frame.hitch_time_ratio.wall", "rss.peak"].map { name in
      MetricComparison(
        definition: MetricDefinition(
          name: name, dimension: .time, direction: .lower, scale: .ratio, summary: ""),
        base: 996.6e6, candidate: 231.7e6, ratio: 0.2325, estimate: -0.77, low: -0.78, high: -0.76,
        p: 0.1, n: (3, 3), margin: 0.02, isGating: true, verdict: .inconclusive,
        note: "3 and 3 launches cannot show any change; at least 5 per side are needed")
    }
    let document = ComparisonDocument(
      Comparison(
        id: "c", base: .init(run), candidate: .init(run), alpha: 0.02, seed: 1, metrics: metrics,
        functions: [], environmentDifferences: [], warnings: [], verdict: .inconclusive))
    let browser = try Browser()
    try browser.open(document.html(), width: width)
    #expect(try browser.value(Self.brokenWords(in: "thead th, td.number")) == "")
    #expect(try browser.value(Self.scrolledSideways) == "")
  }

  @Test(arguments: [640, 1000])
  func `budgets with long notes break no verdict, heading or number within a word`(
    width: Int
  ) throws {
    let sample = SampleDocuments.run()
    let budgets = sample.budgets.map { budget in
      BudgetResult(
        budget: budget.budget, value: budget.value, interval: budget.interval, verdict: .unknown,
        note:
          "the machine was disturbed: in 4 of 4 launches, threads were ready but had no CPU for "
          + "at least 10% of the time, up to 20.3%")
    }
    let document = RunDocument(
      run: sample.run, metrics: sample.metrics, budgets: budgets, verdict: .unknown)
    let browser = try Browser()
    try browser.open(document.html(), width: width)
    #expect(try browser.value(Self.brokenWords(in: "#budgets :is(th, td)")) == "")
    #expect(try browser.value(Self.scrolledSideways) == "")
  }

  @Test func `the colours of legends are those of their theme, flame graph and timeline`() throws {
    let browser = try Browser()
    var colours: Set<String> = []
    for isDark in [false, true] {
      try browser.open(Self.run.html(), isDark: isDark)
      let legend: String = try browser.value(
        "getComputedStyle(document.querySelector('.flame [data-colour=\"0\"]')).backgroundColor")
      let drawn: String = try browser.value(
        """
        (() => {
          const key = document.createElement("i");
          key.style.color = perfkit.palette.kind(0, 0);
          document.body.append(key);
          return getComputedStyle(key).color;
        })()
        """)
      #expect(legend == drawn)
      colours.insert(legend)
      let timeline: [String] = try browser.value(
        """
        ["on-time", "missed"].map((name) =>
          getComputedStyle(document.querySelector(`#timeline .legend .${name}`)).backgroundColor)
        """)
      // The bars of frames are drawn in these colours.
      let bars: [String] = try browser.value(
        """
        ["primary", "bad"].map((name) => {
          const key = document.createElement("i");
          key.style.color = perfkit.ink(name);
          document.body.append(key);
          return getComputedStyle(key).color;
        })
        """)
      #expect(timeline == bars)
    }
    #expect(colours.count == 2)
  }

  @Test func `paper is light and has everything open, and the screen is as before after it`() throws
  {
    let browser = try Browser()
    try browser.open(Self.run.html(), isDark: true)
    let state = """
      [document.querySelectorAll("details:not([open])").length, perfkit.isDark(), perfkit.ink("ink"),
        getComputedStyle(document.querySelector('.flame [data-colour="0"]')).backgroundColor].join()
      """
    let screen: String = try browser.value(state)
    try browser.run("addEventListener('beforeprint', () => { window.onPaper = \(state); });")
    try browser.send("Page.printToPDF")
    let paper: String = try browser.value("window.onPaper")
    #expect(try browser.value(state) == screen)
    try browser.open(Self.run.html())
    try browser.run("for (const part of document.querySelectorAll('details')) part.open = true;")
    #expect(try browser.value(state) == paper)
    #expect(paper != screen)
  }

  @Test func `every control has a name for screen readers and is reached by the Tab key`() throws {
    let browser = try Browser()
    try browser.open(Self.run.html())
    let tree = try browser.send("Accessibility.getFullAXTree")
    let nodes = try #require(tree["nodes"] as? [[String: Any]])
    let unnamed = nodes.filter { node in
      let properties = node["properties"] as? [[String: Any]] ?? []
      let isFocusable = properties.contains { $0["name"] as? String == "focusable" }
      let role = (node["role"] as? [String: Any])?["value"] as? String
      let name = (node["name"] as? [String: Any])?["value"] as? String
      return isFocusable && role != "RootWebArea" && (name ?? "").isEmpty
    }
    #expect(unnamed.map { "\($0["role"] ?? "")" } == [])
    let stops: Int = try browser.value(
      """
      [...document.querySelectorAll("a, button, input, select, canvas, summary")]
        .filter((e) => e.checkVisibility() && !e.disabled).length
      """)
    var reached: [String] = []
    for _ in 0..<stops {
      try browser.press("Tab")
      reached.append(
        try browser.value(
          """
          (() => {
            const e = document.activeElement;
            e.stop = e.stop || String(Math.random());
            return e.tagName + " " + e.stop;
          })()
          """))
    }
    #expect(Set(reached).count == stops)
    #expect(!reached.contains { $0.hasPrefix("BODY") })
  }

  // MARK: Flame graphs

  private static let detail = "#flame .detail"

  @Test func `a search reports the share of the samples in functions of that name`() throws {
    let browser = try Browser()
    try browser.open(Self.run.html())
    let profile = try #require(Self.run.run.profile)
    let running = profile.counts.filter { $0.state == .running }
    let matching = running.filter { count in
      sequence(first: count.node) { profile.nodes[$0].parent < 0 ? nil : profile.nodes[$0].parent }
        .contains {
          profile.functions[profile.nodes[$0].function].name.lowercased().contains("decode")
        }
    }
    let share = Wording.share(
      matching.reduce(0) { $0 + $1.weight }, of: running.reduce(0) { $0 + $1.weight })
    try #require(!matching.isEmpty && matching.count < running.count)
    try browser.type("Decode", into: "#flame [data-flame=search]")
    #expect(
      try browser.text(of: Self.detail).hasSuffix("\(share) of the weight matches “Decode”"))
  }

  @Test func `a click zooms in, and the Escape key shows the whole flame graph again`() throws {
    let browser = try Browser()
    try browser.open(Self.run.html())
    let all = try browser.text(of: Self.detail)
    #expect(all.hasPrefix("all · total"))
    try browser.click(browser.point(in: "#flame canvas", x: 4, y: 27))
    #expect(try browser.value("perfkit.flames.flame.top !== perfkit.flames.flame.root"))
    #expect(try browser.text(of: Self.detail) != all)
    try browser.press("Escape")
    #expect(try browser.text(of: Self.detail) == all)
  }

  @Test func `a click on a function whose source is in the page leads to its lines`() throws {
    let name = "JPEGDecoder.decode(_:)"
    let document = Self.run.withSources { path in
      path == "JPEGDecoder.swift"
        ? SourceText(lines: (1...80).map { "let line = \($0)" }, note: nil) : nil
    }
    let browser = try Browser()
    try browser.open(document.html())
    let place: [Double] = try browser.value(
      """
      (() => {
        const { boxes, data } = perfkit.flames.flame;
        const { x, w, depth } = boxes.find(({ node }) =>
          node && node.f >= 0 && data.functions[node.f][0] === "\(name)");
        return [x + w / 2, depth * 18 + 9];
      })()
      """)
    try browser.click(browser.point(in: "#flame canvas", x: place[0], y: place[1]))
    #expect(try browser.text(of: Self.detail).hasPrefix("\(name) · "))
    let open = "document.querySelector('details.source[open]')"
    #expect(try browser.value("\(open) === null"))
    try browser.click(browser.point(in: "#flame .detail a", x: 4, y: 4))
    // The browser reports the new address after the click.
    let listing: String = try browser.value(
      """
      new Promise((done) => {
        const look = (left) => {
          if (\(open) || left === 0) done(\(open)?.textContent ?? "");
          else requestAnimationFrame(() => look(left - 1));
        };
        look(100);
      })
      """)
    #expect(listing.contains(name) && listing.contains("let line = 39"), "\(listing)")
    #expect(
      try browser.value("\(open).getBoundingClientRect().top < innerHeight"),
      "the lines are in view")
  }

  @Test func `the C key shows the callers and callees of the selected function`() throws {
    let browser = try Browser()
    try browser.open(Self.run.html())
    try browser.run("document.querySelector('#flame canvas').focus()")
    try browser.press("ArrowDown", "ArrowDown", "ArrowDown", "c")
    let flame = "perfkit.flames.flame"
    let name: String = try browser.value("\(flame).name(\(flame).root)")
    let profile = try #require(Self.run.run.profile)
    let launches = Double(Self.run.run.sampled.count)
    let cost = try #require(
      HotFunctions(profile).functions.first { $0.function.name == name }?.total.time)
    // Each weight in the page is rounded to a nanosecond.
    let total: Double = try browser.value("\(flame).root.total[1]")
    #expect(abs(total - cost / launches) < Double(profile.counts.count))
    #expect(try browser.value("\(flame).callers.total[1]") == total)
    // The callers are above the function, whose row is therefore not the first.
    #expect(
      try browser.value(
        "\(flame).boxes.find((box) => box.node === \(flame).root).depth", as: Int.self) > 0)
    try browser.press("ArrowUp", "Enter")
    #expect(try browser.value("\(flame).name(\(flame).root)") != name)
  }

  @Test func `a flame graph of any depth is drawn, on a canvas that browsers accept`() throws {
    let browser = try Browser()
    try browser.open(Self.run.html())
    // 4,000 rows of 18 pixels.
    let side: Double = try browser.value(
      """
      (() => {
        const canvas = document.createElement("canvas");
        perfkit.context(canvas, 600, 4000 * 18).fillRect(0, 0, 600, 4000 * 18);
        const { data } = canvas.getContext("2d").getImageData(0, canvas.height - 1, 1, 1);
        return data[3] > 0 ? canvas.height : -1;
      })()
      """)
    #expect(side > 0 && side <= 32767)
  }

  @Test func `functions whose change may be noise are grey in a differential flame graph`() throws {
    let browser = try Browser()
    try browser.open(Self.comparison.html())
    let colours: [[Any]] = try browser.value(
      """
      perfkit.flames.flame.boxes.filter((box) => box.node && box.node.f >= 0).map(({ node }) => [
        perfkit.flames.flame.data.functions[node.f][0],
        perfkit.flames.flame.colour(node) === perfkit.palette.grey(),
      ])
      """)
    let significant = Set(
      Self.comparison.comparison.functions.filter(\.isSignificant).map(\.name))
    #expect(colours.contains { $0[1] as? Bool == true })
    #expect(colours.contains { $0[1] as? Bool == false })
    for entry in colours {
      let name = try #require(entry[0] as? String).replacing(" (awaiting)", with: "")
      #expect((entry[1] as? Bool) == !significant.contains(name), "\(name)")
    }
  }
}
