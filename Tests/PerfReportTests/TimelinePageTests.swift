import Foundation
import PerfModel
import PerfTestSupport
import Testing

@testable import PerfReport

/// Timelines of reports in a browser, used by mouse and keyboard.
@Suite(.enabled(if: Browser.program != nil, "Chromium is not installed"), .serialized)
struct TimelinePageTests {
  private static let run = SampleDocuments.run(variant: "naive", samples: 3000, fling: 1000)
  private static let comparison = SampleComparisons.naiveAgainstOptimised()

  private static let detail = "#flame .detail"
  private static let canvas = "#timeline canvas"
  private static let period = "[perfkit.timelines.timeline.from, perfkit.timelines.timeline.to]"

  @Test func `a drag on the timeline zooms in, and a double click or Escape resets it`() throws {
    let browser = try Browser()
    try browser.open(Self.run.html())
    let whole: [Double] = try browser.value(Self.period)
    let width: Double = try browser.value("document.querySelector('\(Self.canvas)').clientWidth")
    // The label of the track is above its bars.
    let end = { (part: Double) in
      try browser.point(in: Self.canvas, x: width * part, y: 8)
    }
    for reset in ["double click", "Escape"] {
      try browser.drag(from: end(0.25), to: end(0.5))
      let zoomed: [Double] = try browser.value(Self.period)
      // The pointer is at whole pixels.
      #expect(abs(zoomed[0] - whole[1] * 0.25) <= whole[1] / width)
      #expect(abs(zoomed[1] - whole[1] * 0.5) <= whole[1] / width)
      if reset == "Escape" {
        try browser.press("Escape")
      } else {
        try browser.click(end(0.1), count: 2)
      }
      #expect(try browser.value(Self.period) == whole)
    }
  }

  /// The CPU time of the samples of a launch in a frame, in nanoseconds.
  private static func time(of frame: FrameRecord, in launch: Launch, of run: Run) throws -> Double {
    let origin = try #require(launch.began)
    // The page has whole microseconds.
    let from = (frame.began - origin) / 1000
    let samples = try #require(run.profile).weightedTimeline { $0 == launch.index }.first?.moments
    return (samples ?? []).filter { sample in
      sample.moment.state == .running && sample.moment.time / 1000 >= from
        && sample.moment.time / 1000 <= from + frame.cost / 1000
    }.reduce(0) { $0 + $1.weight }
  }

  @Test(arguments: ["click", "keys"])
  func `a hitch on the timeline opens the flame graph of its frame`(way: String) throws {
    let browser = try Browser()
    try browser.open(Self.run.html())
    let run = Self.run.run
    let launch = try #require(run.middleLaunch)
    let frame = try #require(launch.frames.first { $0.hitch > 0 })
    if way == "click" {
      let middle = Double(frame.began - (launch.began ?? 0)) / 1000 + Double(frame.cost) / 2000
      let x: Double = try browser.value("perfkit.timelines.timeline.x(\(middle))")
      // Bars stand on the lower edge of their track.
      try browser.click(browser.point(in: Self.canvas, x: x, y: 105))
    } else {
      try browser.run("document.querySelector('\(Self.canvas)').focus()")
      try browser.press("n", "Enter")
    }
    let label = try browser.text(of: "#flame .period span")
    #expect(label.hasPrefix("Only samples of launch \(launch.index), frame \(frame.index), "))
    let shown: Double = try browser.value("perfkit.flames.flame.whole[1]")
    let expected = try Self.time(of: frame, in: launch, of: run)
    #expect(expected > 0)
    // Each weight in the page is rounded to a microsecond.
    #expect(abs(shown - expected) <= 1000 * expected / 1e6)
    try browser.run("document.querySelector('#flame [data-flame=whole]').click()")
    #expect(try browser.value("document.querySelector('#flame .period').hidden"))
  }

  @Test func `in a period, a wait counts with its part and any other sample as a whole`() throws {
    let browser = try Browser()
    try browser.open(Self.run.html())
    // A sample of 100 us at 10 us in a period of 20 us, in each state of a thread.
    let weights: [Double] = try browser.value(
      """
      [0, 1, 2].map((state) => perfkit.tree.build(
        { nodes: [0], parents: [-1], rows: [0, 0, 0, 0, 0, state, 0, 1] },
        { thread: -1, phase: -1, signpost: -1, frames: -1, state,
          period: { samples: [10, 0, 100], from: 0, to: 20 } }, false).total[1])
      """)
    #expect(weights == [100_000, 100_000, 10_000])
  }

  @Test(arguments: ["base", "candidate"])
  func `a timeline of a comparison shows the flame graph of a period of its side`(
    side: String
  ) throws {
    let browser = try Browser()
    try browser.open(Self.comparison.html())
    let legend = """
      [...document.querySelectorAll("#flame .legend")].filter((e) => e.checkVisibility())
        .map((e) => e.textContent).join()
      """
    #expect(try browser.value(legend) == "grewshrankmay be noise")
    try browser.run("document.querySelector('#timeline-\(side) [data-timeline=flame]').click()")
    #expect(try browser.value(legend) == ModuleKind.allCases.map(\.label).joined())
    let document = side == "base" ? Self.comparison.base : Self.comparison.candidate
    let run = try #require(document?.run)
    let launch = try #require(run.middleLaunch)
    let moments = try #require(run.profile).weightedTimeline { $0 == launch.index }[0].moments
    let whole = moments.filter { $0.moment.state == .running }.reduce(0) { $0 + $1.weight }
    let shown: [Double] = try browser.value("perfkit.flames.flame.whole")
    // Each weight in the page is rounded to a microsecond, and a period has the weights of one side.
    #expect(shown[0] == 0)
    #expect(abs(shown[1] - whole) <= 1000 * Double(moments.count))
    #expect(try browser.text(of: Self.detail).contains("100.0%"))
  }

  @Test func `both timelines of a comparison have the axes of the larger values`() throws {
    let browser = try Browser()
    try browser.open(Self.comparison.html())
    let periods = """
      Object.values(perfkit.timelines).map((timeline) => [timeline.from, timeline.to])
      """
    let ends: [Double] = try browser.value(
      "Object.values(perfkit.timelines).map((timeline) => timeline.launch.end)")
    try #require(ends.count == 2)
    #expect(try browser.value(periods) == [[0, ends.max()], [0, ends.max()]])
    // A launch of the candidate that is twice as long, with costs and memory that are twice as high.
    let axes: [[Double]] = try browser.value(
      """
      (() => {
        const { launch, axes } = perfkit.timelines["timeline-candidate"];
        const twice = {
          ...launch, end: 2 * axes.end, period: 2 * axes.top / 1.25, frames: [],
          series: [{ name: "rss", times: [0], values: [2 * (axes.series.rss || 1)] }],
        };
        const both = perfkit.events.axes([launch, twice]);
        return [axes, both].map(({ end, top, series }) => [end, top, series.rss || 1]);
      })()
      """)
    for (one, both) in zip(axes[0], axes[1]) { #expect(abs(both - 2 * one) <= 1e-9 * both) }
  }

  @Test func `a double click on a frame shows the whole launch and all samples`() throws {
    let browser = try Browser()
    try browser.open(Self.run.html())
    let whole: [Double] = try browser.value(Self.period)
    let launch = try #require(Self.run.run.middleLaunch)
    let frame = try #require(launch.frames.first { $0.hitch > 0 })
    let middle = Double(frame.began - (launch.began ?? 0)) / 1000 + Double(frame.cost) / 2000
    let x: Double = try browser.value("perfkit.timelines.timeline.x(\(middle))")
    try browser.click(browser.point(in: Self.canvas, x: x, y: 105), count: 2)
    #expect(try browser.value(Self.period) == whole)
    #expect(try browser.value("perfkit.timelines.timeline.frame === null"))
    #expect(try browser.value("document.querySelector('#flame .period').hidden"))
  }

  @Test func `a drag that leaves the timeline ends at its edge`() throws {
    let browser = try Browser()
    try browser.open(Self.run.html())
    let whole: [Double] = try browser.value(Self.period)
    let width: Double = try browser.value("document.querySelector('\(Self.canvas)').clientWidth")
    let start = try browser.point(in: Self.canvas, x: width * 0.25, y: 8)
    try browser.drag(from: start, to: (1, start.y))
    let zoomed: [Double] = try browser.value(Self.period)
    #expect(zoomed[0] == 0)
    #expect(abs(zoomed[1] - whole[1] * 0.25) <= whole[1] / width)
  }

  @Test func `times in a short period have the digits that tell them apart`() throws {
    let browser = try Browser()
    try browser.open(Self.run.html())
    try browser.run("perfkit.timelines.timeline.zoom(900010, 900050)")
    let launch = try #require(Self.run.run.middleLaunch)
    #expect(
      try browser.text(of: "#timeline .detail")
        .hasPrefix("Launch \(launch.index), 900.01 ms to 900.05 ms: "))
    // The labels of an axis with a label each millisecond, 12 s after the start.
    let labels: [String] = try browser.value(
      "[12344000, 12345000, 12346000].map((at) => perfkit.tracks.moment(at, 1000))")
    #expect(labels == ["12.344 s", "12.345 s", "12.346 s"])
    #expect(try browser.value("perfkit.tracks.moment(0, 1000)") == "0 s")
  }

  @Test func `a timeline that lacks frames or samples of its launch reports that`() throws {
    let browser = try Browser()
    try browser.open(Self.run.html())
    let frames = try #require(Self.run.run.middleLaunch).frames.count
    let complete = try browser.text(of: "#timeline .detail")
    #expect(!complete.contains("The page has"))
    try browser.run(
      """
      const timeline = perfkit.timelines.timeline;
      timeline.launch.frameCount = 9999;
      timeline.control("flame").disabled = true;
      timeline.report();
      """)
    #expect(
      try browser.text(of: "#timeline .detail")
        == complete.dropLast() + ". The page has the \(frames) longest of 9999 frames"
        + ". The page has no samples of this launch.")
  }

  @Test func `a timeline that does not draw all spans of its launch reports their number`() throws {
    let browser = try Browser()
    // Eight signposts at one time need eight lanes, and the timeline has six. Two phases in turn
    // need one lane.
    let signposts = (1...8).map { number in
      Span(name: "load", kind: .signpost, serial: number, began: 0, duration: 9_000_000)
    }
    let phases = ([0, 4_000_000] as [UInt64]).map { began in
      Span(name: "decode", kind: .phase, serial: 1, began: began, duration: 4_000_000)
    }
    let run = SampleDocuments.run(spans: signposts + phases)
    try browser.open(SampleDocuments.document(of: run).html())
    #expect(
      try browser.text(of: "#timeline .detail")
        == "Launch 0, 0 s to 9 ms. The timeline lacks 2 of 10 phases, signposts and events.")
  }

  @Test func `a timeline without frames is used by mouse and keys like any other`() throws {
    let browser = try Browser()
    let run = SampleDocuments.run(
      spans: [
        Span(name: "decode", kind: .phase, serial: 1, began: 0, duration: 9_000_000),
        Span(name: "alarm", kind: .event, serial: 1, began: 5_000_000, duration: 0),
      ])
    try browser.open(SampleDocuments.document(of: run).html())
    #expect(try browser.text(of: "#timeline .detail") == "Launch 0, 0 s to 9 ms.")
    // An event has the colour of all events, not that of its name, which the pointer shows.
    #expect(try browser.text(of: "#timeline .names") == "decode")
    let x: Double = try browser.value("perfkit.timelines.timeline.x(5000)")
    try browser.mouse("mouseMoved", browser.point(in: Self.canvas, x: x + 2, y: 8))
    #expect(
      try browser.text(of: "#tip").split(separator: "\n").dropFirst() == ["decode: 9 ms", "alarm"])
    try browser.run("document.querySelector('\(Self.canvas)').focus()")
    try browser.press("n", "+", "Enter", "Escape")
    try browser.drag(
      from: browser.point(in: Self.canvas, x: 10, y: 8),
      to: browser.point(in: Self.canvas, x: 200, y: 8))
    #expect(browser.messages == [])
  }

  @Test func `the keys of the timeline choose hitches, move and zoom`() throws {
    let browser = try Browser()
    try browser.open(Self.run.html())
    try browser.run("document.querySelector('\(Self.canvas)').focus()")
    let hitches = try #require(Self.run.run.middleLaunch).frames.filter { $0.hitch > 0 }
    try browser.press("n", "n", "p")
    #expect(try browser.value("perfkit.timelines.timeline.frame.number") == hitches[0].index)
    let before: [Double] = try browser.value(Self.period)
    try browser.press("+", "+")
    let after: [Double] = try browser.value(Self.period)
    #expect(abs((after[1] - after[0]) - (before[1] - before[0]) / 4) < 1)
    try browser.press("Escape")
    #expect(try browser.value(Self.period) == before)
  }
}
