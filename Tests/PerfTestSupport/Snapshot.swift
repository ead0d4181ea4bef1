internal import Foundation
public import Testing

/// Compares a text with the snapshot in `Snapshots/<name>`.
///
/// A mismatch is an issue with the differing lines and the command that accepts them. With
/// RECORD_SNAPSHOTS=1 in the environment the snapshot is rewritten and the test fails, so that a
/// recording never passes for a test.
///
/// - Parameters:
///   - text: The text.
///   - name: The file's name with its extension.
///   - testFile: The file of the test, beside the folder `Snapshots`.
///   - sourceLocation: The location of issues.
public func expectSnapshot(
  _ text: String, _ name: String, testFile: String = #filePath,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  let file = URL(filePath: testFile).deletingLastPathComponent()
    .appending(components: "Snapshots", name)
  if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1" {
    do {
      try Data(text.utf8).write(to: file)
      Issue.record("recorded \(name)", sourceLocation: sourceLocation)
    } catch {
      Issue.record("cannot record \(name): \(error)", sourceLocation: sourceLocation)
    }
    return
  }
  guard let data = try? Data(contentsOf: file) else {
    Issue.record(
      "there is no snapshot \(name). Record it with \(blessCommand)",
      sourceLocation: sourceLocation)
    return
  }
  let kept = String(decoding: data, as: UTF8.self)
  guard kept != text else { return }
  Attachment.record(Array(text.utf8), named: name, sourceLocation: sourceLocation)
  Issue.record(
    """
    \(name) differs from its snapshot:
    \(UnifiedDiff.text(from: kept, to: text))
    If it should, accept it with \(blessCommand)
    """, sourceLocation: sourceLocation)
}

private let blessCommand = "RECORD_SNAPSHOTS=1 Scripts/test --filter SnapshotTests"
