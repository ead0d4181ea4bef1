internal import PerfModel

/// A page as a value: what stands on it in which order.
struct HTMLPage {
  /// A part of a section.
  enum Part {
    case table(Table)
    /// Small tables side by side where there is room.
    case tables([Table])
    case figure(Figure)
    /// Small figures side by side where there is room.
    case figures([Figure])
    /// One figure a launch, one of them shown.
    case timelines([Timeline])
    case flame(Flame)
    case warnings([RunWarning])
    case note(String)
    case code(String)
  }

  /// A figure that can be chosen.
  struct Timeline {
    let figure: Figure
    /// What the choice says.
    let option: String
    let isShown: Bool
  }

  /// A flame graph drawn by the page's script.
  struct Flame {
    let id: String
    let title: String
    let note: String
    /// Id of the data.
    let source: String
    let onlyMissedFrames: Bool
    let isDifference: Bool
  }

  /// A heading with what belongs to it.
  struct Section {
    let id: String
    let title: String
    let parts: [Part]
  }

  let title: String
  let kind: String
  let verdict: String
  /// What explains the verdict; may be empty.
  var because = ""
  let tone: Tone
  let facts: [Document.Fact]
  /// In order; those without parts are left out.
  let sections: [Section]
  /// JSON by element id.
  let data: [(id: String, json: String)]
}
