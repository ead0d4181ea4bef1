internal import Glibc

/// Calls a function with each line of a file, newline included; not at all if it cannot be opened.
///
/// Files of `/proc` have no size, so that they cannot be read as a whole.
func forEachLine(of path: String, _ body: (UnsafeBufferPointer<CChar>) -> Void) {
  guard let file = fopen(path, "re") else { return }
  defer { fclose(file) }
  var line: UnsafeMutablePointer<CChar>?
  var capacity = 0
  defer { free(line) }
  while true {
    let count = getline(&line, &capacity, file)
    guard count > 0, let line else { return }
    body(UnsafeBufferPointer(start: line, count: count))
  }
}

/// Returns the lines of a file without newlines; empty if it cannot be opened.
func textLines(of path: String) -> [String] {
  var lines: [String] = []
  forEachLine(of: path) { line in
    let text = line.prefix { $0 != 10 }
    lines.append(String(decoding: text.map { UInt8(bitPattern: $0) }, as: UTF8.self))
  }
  return lines
}
