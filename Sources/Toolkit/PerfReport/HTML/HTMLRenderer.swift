internal import Mustache
internal import PerfModel

/// The renderer of pages as a single HTML file without external references.
struct HTMLRenderer {
  private let library: MustacheLibrary

  /// Reads the templates.
  ///
  /// - Throws: `ReportError.template` if a template is invalid, which is a bug in PerfKit.
  init() throws(ReportError) {
    MustacheContentTypes.register(MarkupContent(), named: MarkupContent.name)
    var library = MustacheLibrary()
    let templates: [(String, [UInt8])] = [
      ("page", PackageResources.page_mustache), ("table", PackageResources.table_mustache),
      ("figure", PackageResources.figure_mustache),
      ("timelines", PackageResources.timelines_mustache),
      ("flame", PackageResources.flame_mustache),
      ("warnings", PackageResources.warnings_mustache),
    ]
    for (name, bytes) in templates {
      do {
        try library.register(MarkupContent.pragma + Self.text(of: bytes), named: name)
      } catch {
        throw .template(name: name, reason: "\(error)")
      }
    }
    self.library = library
  }

  /// Returns the page as HTML.
  func render(_ page: HTMLPage) throws(ReportError) -> String {
    var sections: [[String: Any]] = []
    for section in page.sections where !section.parts.isEmpty {
      var body: [String] = []
      for part in section.parts { body.append(try render(part)) }
      sections.append([
        "id": section.id, "title": section.title, "body": body.joined(separator: "\n"),
      ])
    }
    let html = try render(
      [
        "title": page.title, "kind": page.kind, "verdict": page.verdict,
        "because": page.because, "tone": page.tone.rawValue,
        "facts": page.facts.map { ["name": $0.name, "value": $0.value] },
        "sections": sections,
        "style": Self.text(of: PackageResources.chart_css)
          + Self.text(of: PackageResources.report_css),
        "script": Self.text(of: PackageResources.report_js)
          + Self.text(of: PackageResources.flame_js),
        "data": page.data.map { ["id": $0.id, "json": Self.insideScript($0.json)] },
        "footer": "Made by perfkit. This file is self-contained and needs no network.",
      ], with: "page")
    return Self.withoutControls(html)
  }

  /// Returns the element with the verdict.
  static func verdict(_ sentence: String, _ tone: Tone) -> String {
    "<p class=\"verdict \(tone.rawValue)\">\(Markup.escape(sentence))</p>"
  }

  /// Returns a table as HTML.
  func page(_ table: Table) throws(ReportError) -> String {
    Self.withoutControls(try render(table))
  }

  /// Returns text with control characters replaced by spaces, except line breaks and tabs.
  private static func withoutControls(_ text: String) -> String {
    String(
      decoding: text.utf8.map { byte in
        (byte < 0x20 && byte != 0x0A && byte != 0x09) || byte == 0x7F ? 0x20 : byte
      }, as: UTF8.self)
  }

  /// Returns JSON that can neither end a script element nor begin a comment.
  ///
  /// `<` occurs only in strings, where its escape sequence has the same meaning.
  static func insideScript(_ json: String) -> String {
    json.escaping(["<": "\\u003c"])
  }

  // MARK: Parts

  private func render(_ part: HTMLPage.Part) throws(ReportError) -> String {
    switch part {
    case .table(let table):
      return try render(table)
    case .tables(let tables):
      var rendered: [String] = []
      for table in tables { rendered.append(try render(table)) }
      return "<div class=\"columns\">\n\(rendered.joined(separator: "\n"))\n</div>"
    case .figure(let figure):
      return try render(figure, isHidden: false)
    case .figures(let figures):
      var rendered: [String] = []
      for figure in figures { rendered.append(try render(figure, isHidden: false)) }
      return "<div class=\"halves\">\n\(rendered.joined(separator: "\n"))\n</div>"
    case .timelines(let timelines):
      return try render(timelines)
    case .flame(let flame):
      return try render(flame)
    case .warnings(let warnings):
      return try render(
        [
          "warnings": warnings.map { warning in
            warning.remedy.isEmpty
              ? ["message": warning.message + "."]
              : ["message": warning.message + ".", "remedy": warning.remedy]
          }
        ], with: "warnings")
    case .note(let text):
      return "<p class=\"note\">\(Markup.escape(text))</p>"
    case .code(let text):
      return "<pre>\(Markup.escape(text))</pre>"
    }
  }

  private func render(_ figure: Figure, isHidden: Bool) throws(ReportError) -> String {
    let isHalves = figure.panels.allSatisfy { $0.shape == .half }
    return try render(
      [
        "id": figure.id, "title": figure.title, "summary": figure.summary, "hidden": isHidden,
        "layout": isHalves ? "halves" : "frame-scroll",
        "panels": figure.panels.map { panel in
          ["svg": SVGFigure.inline(panel, label: Self.label(of: panel, in: figure))]
        },
      ], with: "figure")
  }

  private static func label(of panel: Panel, in figure: Figure) -> String {
    panel.title.isEmpty ? figure.title : "\(figure.title), \(panel.title)"
  }

  private func render(_ timelines: [HTMLPage.Timeline]) throws(ReportError) -> String {
    var figures: [[String: Any]] = []
    for timeline in timelines {
      figures.append([
        "id": timeline.figure.id, "option": timeline.option, "selected": timeline.isShown,
        "figure": try render(timeline.figure, isHidden: !timeline.isShown),
      ])
    }
    return try render(["figures": figures], with: "timelines")
  }

  private func render(_ flame: HTMLPage.Flame) throws(ReportError) -> String {
    let legend =
      flame.isDifference
      ? [
        ("grew", FlamePalette.difference(base: 0, candidate: 1, isReal: true)),
        ("shrank", FlamePalette.difference(base: 1, candidate: 0, isReal: true)),
        ("may be noise", FlamePalette.difference(base: 1, candidate: 1, isReal: false)),
      ] : ModuleKind.allCases.map { ($0.label, FlamePalette.colour($0)) }
    return try render(
      [
        "id": flame.id, "title": flame.title, "note": flame.note, "source": flame.source,
        "frames": flame.onlyMissedFrames ? "2" : "-1",
        "legend": legend.map { ["label": $0.0, "colour": $0.1] },
      ], with: "flame")
  }

  /// Renders a template; empty texts are removed, because a template's section would treat them as
  /// present.
  private func render(_ object: [String: Any], with name: String) throws(ReportError) -> String {
    let object = object.filter { ($0.value as? String)?.isEmpty != true }
    guard let text = library.render(object, withTemplate: name) else {
      throw .template(name: name, reason: "not registered")
    }
    return text
  }

  private static func text(of resource: [UInt8]) -> String {
    String(decoding: resource, as: UTF8.self)
  }
}

/// A content type that escapes by Unicode scalars.
///
/// The library escapes whole characters, of which `<` may be only a part.
private struct MarkupContent: MustacheContentType {
  static let name = "MARKUP"
  /// The pragma that selects the content type in a template.
  static let pragma = "{{% CONTENT_TYPE:\(name)}}"

  func escapeText(_ text: String) -> String { Markup.escape(text) }
}

// MARK: - Tables

extension HTMLRenderer {
  private func render(_ table: Table) throws(ReportError) -> String {
    let table = table.withoutEmptyColumns
    let headings = table.columns.map { column -> [String: Any] in
      ["title": column.title, "class": Self.attribute(column, tone: .plain)]
    }
    let groups = table.groups.map { group -> [String: Any] in
      [
        "hasTitle": group.title != nil, "title": group.title ?? "", "span": table.columns.count,
        "rows": group.rows.map { row in Self.row(row, table.columns) },
      ]
    }
    return try render(
      [
        "id": table.id, "hasTitle": !table.title.isEmpty, "title": table.title,
        "hasHeadings": table.columns.contains { !$0.title.isEmpty }, "columns": headings,
        "groups": groups, "caption": table.caption,
      ], with: "table")
  }

  /// Returns the context of a row, whose first cell is its heading.
  private static func row(_ cells: [Table.Cell], _ columns: [Table.Column]) -> [String: Any] {
    let contexts = zip(cells, columns).map { cell, column -> [String: Any] in
      [
        "text": cell.text, "class": attribute(column, tone: cell.tone),
        "markup": cell.strip.map(StripPlot.svg) ?? "",
      ]
    }
    return ["head": Array(contexts.prefix(1)), "cells": Array(contexts.dropFirst())]
  }

  /// Returns the class attribute of a cell with a leading space; empty without a class.
  private static func attribute(_ column: Table.Column, tone: Tone) -> String {
    var names: [String] = []
    if column.alignment == .trailing { names.append("number") }
    if column.isFlexible || column.isProse { names.append("wrap") }
    if tone != .plain { names.append(tone.rawValue) }
    return names.isEmpty ? "" : " class=\"\(names.joined(separator: " "))\""
  }
}
