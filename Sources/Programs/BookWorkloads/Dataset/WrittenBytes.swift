internal import Foundation

/// Returns the bytes that this process has passed to `write` and similar calls; nil if unknown.
///
/// Unlike the bytes that reach the disk, the number is the same in each launch.
func writtenBytes() -> Int? {
  guard let text = try? String(contentsOfFile: "/proc/self/io", encoding: .utf8) else { return nil }
  let line = text.split(separator: "\n").first { $0.hasPrefix("wchar:") }
  return line.flatMap { Int($0.dropFirst(6).trimmingCharacters(in: .whitespaces)) }
}
