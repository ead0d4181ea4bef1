extension ExportMarker.Kind {
  /// Writes the fields and views that Firefox Profiler shows for markers of this kind.
  func writeSchema(to json: inout JSONWriter) {
    json.object { json in
      json.member("name", rawValue)
      json.member("tooltipLabel", self == .frame ? "frame {marker.data.index}" : "{marker.name}")
      json.member("tableLabel", self == .frame ? "{marker.data.fate}" : "{marker.name}")
      json.member("chartLabel", self == .frame ? "{marker.data.index}" : "{marker.name}")
      json.member(
        "display", arrayOf: ["marker-chart", "marker-table", "timeline-overview"]
      ) { $0.string($1) }
      json.member("fields", arrayOf: self == .frame ? Self.fields : []) { json, field in
        json.object { json in
          json.member("key", field.key)
          json.member("label", field.label)
          json.member("format", field.format)
          if field.key == "color" { json.member("hidden", true) }
        }
      }
      if self == .frame { json.member("colorField", "color") }
      // Phases of a thread are nested.
      if self == .phase { json.member("isStackBased", true) }
    }
  }

  private static let fields = [
    (key: "index", label: "Frame", format: "integer"),
    (key: "fate", label: "Result", format: "string"),
    (key: "cpu", label: "CPU time", format: "duration"),
    (key: "overrun", label: "Overrun (negative is early)", format: "milliseconds"),
    (key: "hitch", label: "Hitch time", format: "duration"),
    (key: "missed", label: "Missed refreshes", format: "integer"),
    (key: "color", label: "Colour", format: "string"),
  ]
}
