internal import Mustache
internal import PerfModel

/// The renderer of pages as a single HTML file without external references.
struct HTMLRenderer {
  private let library: MustacheLibrary

  /// Reads the templates, which are embedded in the program.
  init() {
    MustacheContentTypes.register(MarkupContent(), named: MarkupContent.name)
    var library = MustacheLibrary()
    let templates: [(String, [UInt8])] = [
      ("page", PackageResources.page_mustache), ("table", PackageResources.table_mustache),
      ("figure", PackageResources.figure_mustache),
      ("timeline", PackageResources.timeline_mustache),
      ("flame", PackageResources.flame_mustache),
      ("sources", PackageResources.sources_mustache),
      ("warnings", PackageResources.warnings_mustache),
    ]
    for (name, bytes) in templates {
      do {
        try library.register(MarkupContent.pragma + Markup.text(bytes), named: name)
      } catch {
        preconditionFailure("the template '\(name)' is invalid: \(error)")
      }
    }
    self.library = library
  }

  func render(_ page: HTMLPage) -> String {
    let text = render(
      [
        "title": page.title, "kind": page.kind, "verdict": page.verdict,
        "because": page.because, "tone": page.tone.rawValue,
        "facts": page.facts.map { ["name": $0.name, "value": $0.value] },
        "sections": page.sections.filter { !$0.parts.isEmpty }.map { section in
          [
            "id": section.id, "title": section.title,
            "body": section.parts.map(render).joined(separator: "\n"),
          ]
        },
        "style": Markup.text(PackageResources.chart_css + PackageResources.report_css),
        "script": Markup.text(
          PackageResources.report_js + PackageResources.palette_js + PackageResources.tree_js
            + PackageResources.flame_js + PackageResources.events_js + PackageResources.tracks_js
            + PackageResources.timeline_js),
        "data": page.data.map { ["id": $0.id, "json": Self.insideScript($0.json)] },
        "evidence": page.evidence,
        "footer": "Made by perfkit. This file is self-contained and needs no network.",
      ], with: "page")
    return ReportFile.sealed(text)
  }

  static func verdict(_ sentence: String, _ tone: Tone) -> String {
    "<p class=\"verdict \(tone.rawValue)\">\(Markup.escape(sentence))</p>"
  }

  /// Returns JSON that can neither end a script element nor begin a comment.
  ///
  /// `<` occurs only in strings, where its escape sequence has the same meaning.
  static func insideScript(_ json: String) -> String {
    json.escaping(["<": "\\u003c"])
  }

  // MARK: Parts

  private func render(_ part: HTMLPage.Part) -> String {
    switch part {
    case .table(let table): render(table)
    case .tables(let tables):
      "<div class=\"columns\">\n\(tables.map(render).joined(separator: "\n"))\n</div>"
    case .figure(let figure): render(figure)
    case .figures(let figures):
      "<div class=\"halves\">\n\(figures.map { render($0) }.joined(separator: "\n"))\n</div>"
    case .timeline(let timeline):
      render(
        [
          "id": timeline.id, "title": timeline.title, "data": timeline.data.json,
          "hasSamples": timeline.data.hasSamples, "hasFrames": timeline.data.hasFrames,
          "hasEvents": timeline.data.hasEvents,
        ], with: "timeline")
    case .flame(let flame): render(flame)
    case .folded(let tables): tables.map(renderFolded).joined(separator: "\n")
    case .sources(let sources):
      render(
        [
          "sources": sources.map { source in
            [
              "id": source.id, "name": source.name, "place": source.place,
              "table": render(source.table), "note": source.note ?? "",
            ]
          }
        ], with: "sources")
    case .warnings(let warnings):
      render(
        [
          "count": Wording.count(warnings.count, "warning"),
          "warnings": warnings.map { warning in
            warning.remedy.isEmpty
              ? ["message": warning.message + "."]
              : ["message": warning.message + ".", "remedy": warning.remedy]
          },
        ], with: "warnings")
    case .note(let text): "<p class=\"note\">\(Markup.escape(text))</p>"
    case .code(let text): "<pre>\(Markup.escape(text))</pre>"
    }
  }

  private func renderFolded(_ table: Table) -> String {
    "<details class=\"fold\">\n<summary><b>\(Markup.escape(table.title))</b> \(table.rows.count)</summary>\n"
      + render(table.titled("")) + "\n</details>"
  }

  private func render(_ figure: Figure) -> String {
    render(
      [
        "id": figure.id, "title": figure.title, "summary": figure.summary,
        "panels": figure.panels.map { panel in
          let title = panel.title.isEmpty ? "" : ", \(panel.title)"
          return ["svg": SVGFigure.inline(panel, label: figure.title + title)]
        },
      ], with: "figure")
  }

  private func render(_ flame: HTMLPage.Flame) -> String {
    let changes = [("grew", "grew"), ("shrank", "shrank"), ("may be noise", "noise")]
    let kinds = ModuleKind.allCases.map { ($0.label, "\($0.rawValue)") }
    // A period of a comparison is of one side, and has the colours of a single profile.
    let legends = flame.isDifference ? [(changes, ""), (kinds, " hidden")] : [(kinds, "")]
    return render(
      [
        "id": flame.id, "title": flame.title, "note": flame.note, "source": HTMLPage.Flame.source,
        "frames": flame.onlyMissedFrames ? "2" : "-1",
        "legends": legends.map { entries, attribute -> [String: Any] in
          ["entries": entries.map { ["label": $0.0, "key": $0.1] }, "attribute": attribute]
        },
      ], with: "flame")
  }

  /// Renders a template; empty texts are removed, because a template's section would treat them as
  /// present.
  private func render(_ object: [String: Any], with name: String) -> String {
    let object = object.filter { ($0.value as? String)?.isEmpty != true }
    guard let text = library.render(object, withTemplate: name) else {
      preconditionFailure("there is no template '\(name)'")
    }
    return text
  }
}

/// A content type that escapes by Unicode scalars.
///
/// The library escapes whole characters, of which `<` may be only a part.
private struct MarkupContent: MustacheContentType {
  static let name = "MARKUP"
  static let pragma = "{{% CONTENT_TYPE:\(name)}}"

  func escapeText(_ text: String) -> String { Markup.escape(text) }
}

// MARK: - Tables

extension HTMLRenderer {
  func render(_ table: Table) -> String {
    let table = table.withoutEmptyColumns
    let headings = table.columns.map { column -> [String: Any] in
      ["title": Self.breakable(column.title), "class": Self.attribute(column, tone: .plain)]
    }
    let groups = table.groups.map { group -> [String: Any] in
      [
        "hasTitle": group.title != nil, "title": group.title ?? "", "span": table.columns.count,
        "rows": group.rows.map { row in Self.row(row, table.columns) },
      ]
    }
    return render(
      [
        "id": table.id, "hasTitle": !table.title.isEmpty, "title": table.title,
        "hasHeadings": table.columns.contains { !$0.title.isEmpty }, "columns": headings,
        "groups": groups, "caption": table.caption,
      ], with: "table")
  }

  /// Returns the context of a row, whose first cell is its heading.
  ///
  /// The others have the titles of their columns, which narrow pages show in front of them.
  private static func row(_ cells: [Table.Cell], _ columns: [Table.Column]) -> [String: Any] {
    let isLabelled = !columns.contains(where: \.isCode)
    let contexts = zip(cells, columns).map { cell, column -> [String: Any] in
      [
        "text": cell.text, "class": attribute(column, tone: cell.tone),
        "label": isLabelled && !column.title.isEmpty
          ? " data-column=\"\(Markup.escape(column.title))\"" : "",
        "markup": cell.strip.map(StripPlot.svg) ?? "",
      ]
    }
    return ["head": Array(contexts.prefix(1)), "cells": Array(contexts.dropFirst())]
  }

  /// Returns escaped text in which names of metrics may continue on another line between their words.
  private static func breakable(_ title: String) -> String {
    Markup.escape(title).replacing(/[._](?=[a-z])/) { $0.output + "<wbr>" }
  }

  /// Returns the class attribute of a cell with a leading space; empty without a class.
  private static func attribute(_ column: Table.Column, tone: Tone) -> String {
    var names: [String] = []
    if column.alignment == .trailing { names.append("number") }
    if column.isCode {
      names.append("code")
    } else if column.isFlexible || column.isProse {
      names.append("wrap")
    }
    if tone != .plain { names.append(tone.rawValue) }
    return names.isEmpty ? "" : " class=\"\(names.joined(separator: " "))\""
  }
}
