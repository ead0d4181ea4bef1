internal import PerfModel

struct HTMLPage {
  enum Part {
    case table(Table)
    /// Small tables, side by side if there is room.
    case tables([Table])
    case figure(Figure)
    /// Small figures, side by side if there is room.
    case figures([Figure])
    case timeline(Timeline)
    case flame(Flame)
    /// Tables that are closed until the reader opens them.
    case folded([Table])
    case sources([SourceListing])
    case warnings([RunWarning])
    case note(String)
    case code(String)

    /// Returns a part for each table that exists.
    static func each(_ tables: [Table?]) -> [Part] {
      tables.compactMap(\.self).map(Part.table)
    }
  }

  /// A chart of frames, spans and series on one time axis, which the page's script draws.
  struct Timeline {
    let id: String
    let title: String
    let data: TimelineData
  }

  /// A flame graph that the page's script draws.
  struct Flame {
    let id: String
    let title: String
    let note: String
    var onlyMissedFrames = false
    var isDifference = false

    /// The ID of the element with the data.
    static let source = "flame-data"
  }

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
  let data: [(id: String, json: String)]
  /// The element with the launches of a run; may be empty.
  var evidence = ""
}
