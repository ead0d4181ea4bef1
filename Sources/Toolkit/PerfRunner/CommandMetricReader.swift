internal import Foundation
internal import Glibc
internal import PerfModel

/// Reads the metrics that a command reported in one launch.
struct CommandMetricReader {
  /// The reason why a metric has no value.
  struct Problem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
  }

  /// The largest file that is read, in bytes.
  static let largestFile = 64 << 20

  /// The kept output of the launch.
  let output: String
  /// The working directory of the launch.
  let directory: String
  /// The start of the launch by CLOCK_REALTIME_COARSE, the clock of file times.
  let began: timespec

  /// Returns the present time by the clock of file times.
  static func fileTime() -> timespec {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME_COARSE, &time)
    return time
  }

  /// Returns the values in base units.
  ///
  /// - Throws: `Problem` for a missing, ambiguous or impossible value: a launch without one of its
  ///   metrics is no evidence.
  func values(of metrics: [Scenario.CommandMetric]) throws(Problem) -> [String: Double] {
    var values: [String: Double] = [:]
    for metric in metrics {
      let name = metric.definition.name
      do {
        let value = try value(of: metric.source) * metric.unit.factor
        guard metric.definition.isPossible(value) else {
          throw Problem("\(value / metric.unit.factor) is no possible value")
        }
        values[name] = value
      } catch {
        throw Problem("its metric '\(name)' cannot be read: \(error)")
      }
    }
    return values
  }

  private func value(of source: Scenario.CommandMetric.Source) throws(Problem) -> Double {
    switch source {
    case .pattern(let pattern): return try value(matching: pattern)
    case .line(let key):
      for line in output.split(whereSeparator: \.isNewline).reversed() where line.contains("{") {
        let object = try? JSONDecoder().decode(ReportedJSON.self, from: Data(line.utf8))
        if let value = object?.value(at: key) {
          try Self.checkNames(of: Array(line.utf8), "the last line of its output with '\(key)'")
          return try Self.number(value, "'\(key)'")
        }
      }
      throw Problem("no line of its output is a JSON object with '\(key)'")
    case .file(let file, let key):
      guard let value = try content(of: file).value(at: key) else {
        throw Problem("'\(file)' has no '\(key)'")
      }
      return try Self.number(value, "'\(key)' in '\(file)'")
    case .benchmark(let tool, let file, let name):
      let results = BenchmarkResults(tool, try content(of: file))
      do {
        return try results.time(of: name)
      } catch {
        throw Problem("'\(file)' \(error)")
      }
    }
  }

  private func value(matching pattern: String) throws(Problem) -> Double {
    guard let regex = try? Regex(ofUser: pattern), let match = output.matches(of: regex).last else {
      throw Problem("its output does not match '\(pattern)'")
    }
    let groups = match.output
    let text = groups[groups.count > 1 ? 1 : 0].substring ?? ""
    guard let number = Self.number(text) else {
      throw Problem(
        "'\(text)' is no number"
          + (text.contains(",") ? ": a comma separates thousands only, as in 1,234.5" : ""))
    }
    return number
  }

  /// Parses a number whose thousands may be separated, such as `1,234.5` or `1_234.5`.
  private static func number(_ text: Substring) -> Double? {
    let isGrouped = text.wholeMatch(of: /[-+]?[0-9]{1,3}([,_][0-9]{3})+(\.[0-9]*)?/) != nil
    return isGrouped ? Double(text.filter { $0 != "," && $0 != "_" }) : Double(text)
  }

  /// Parses a file that the launch wrote.
  private func content(of file: String) throws(Problem) -> ReportedJSON {
    let path = file.hasPrefix("/") ? file : "\(directory)/\(file)"
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw Problem("'\(path)': \(SystemCalls.text(of: errno))")
    }
    // Reading a pipe would wait for its writer.
    guard status.st_mode & S_IFMT == S_IFREG else { throw Problem("'\(path)' is no file") }
    guard status.st_size <= Self.largestFile else {
      throw Problem(
        "'\(path)' has \(NumberFormat.human(Double(status.st_size), .size)), more than "
          + "\(NumberFormat.human(Double(Self.largestFile), .size))")
    }
    let written = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    guard written >= (began.tv_sec, began.tv_nsec) else {
      throw Problem("'\(path)' is older than the launch, which did not write it")
    }
    let data: Data
    do {
      data = try Data(contentsOf: URL(fileURLWithPath: path))
    } catch {
      throw Problem("'\(path)' cannot be read: \(error.localizedDescription)")
    }
    let content: ReportedJSON
    do {
      content = try JSONDecoder().decode(ReportedJSON.self, from: data)
    } catch {
      let hasNone = String(decoding: data, as: UTF8.self).contains(/\b(NaN|Infinity)\b/)
      throw Problem(
        "'\(path)' is no valid JSON" + (hasNone ? ": a number cannot be NaN or Infinity" : ""))
    }
    try Self.checkNames(of: Array(data), "'\(path)'")
    return content
  }

  /// Refuses an object with two values of one name: either may be the metric.
  private static func checkNames(of text: [UInt8], _ place: String) throws(Problem) {
    if let name = ReportedJSON.repeatedName(in: text) {
      throw Problem("\(place) contains an object with the name '\(name)' twice")
    }
  }

  private static func number(_ value: ReportedJSON, _ place: String) throws(Problem) -> Double {
    guard let number = value.number else { throw Problem("\(place) is no number") }
    return number
  }
}
