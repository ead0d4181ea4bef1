internal import PerfModel

/// The content of an HTML page.
struct HTMLPage {
  /// A part of a section.
  enum Part {
    case table(Table)
    /// Small tables, side by side if there is room.
    case tables([Table])
    case figure(Figure)
    /// Small figures, side by side if there is room.
    case figures([Figure])
    /// One figure per launch, of which one is visible.
    case timelines([Timeline])
    case flame(Flame)
    case warnings([RunWarning])
    case note(String)
    case code(String)
  }

  /// A selectable figure.
  struct Timeline {
    let figure: Figure
    /// The label of the choice.
    let option: String
    let isShown: Bool
  }

  /// A flame graph that the page's script draws.
  struct Flame {
    let id: String
    let title: String
    let note: String
    /// The ID of the element with the data.
    let source: String
    let onlyMissedFrames: Bool
    let isDifference: Bool
  }

  /// A heading with its parts.
  struct Section {
    let id: String
    let title: String
    let parts: [Part]
  }

  let title: String
  let kind: String
  let verdict: String
  /// An explanation of the verdict; may be empty.
  var because = ""
  let tone: Tone
  let facts: [Document.Fact]
  /// The sections in order; those without parts are omitted.
  let sections: [Section]
  /// JSON data with element IDs.
  let data: [(id: String, json: String)]
}
