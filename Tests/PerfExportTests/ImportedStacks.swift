import PerfModel

@testable import PerfExport

extension Profile {
  /// Returns the sums of weights by thread and stack, such as `ui: main;draw`.
  func weights(_ state: State = .running) -> [String: Double] {
    sums(state) { $0.weight }
  }

  /// Returns the numbers of samples by thread and stack.
  func samples(_ state: State = .running) -> [String: Double] {
    sums(state) { Double($0.samples) }
  }

  private func sums(_ state: State, _ value: (Count) -> Double) -> [String: Double] {
    var sums: [String: Double] = [:]
    for count in counts where count.state == state && count.weight > 0 {
      let names = path(to: count.node).map { functions[nodes[$0].function].name }
      sums["\(threads[count.thread].name): \(names.joined(separator: ";"))", default: 0] += value(
        count)
    }
    return sums
  }
}

extension ProfileImport {
  init(
    text: String, as format: ImportFormat? = nil, interval: UInt64? = nil
  ) throws(ImportError) {
    try self.init(Array(text.utf8), as: format, interval: interval)
  }

  /// Returns the error of a file; nil if it can be imported.
  static func error(_ file: [UInt8], as format: ImportFormat? = nil) -> ImportError? {
    do {
      _ = try ProfileImport(file, as: format)
      return nil
    } catch {
      return error
    }
  }

  static func error(_ text: String, as format: ImportFormat? = nil) -> String? {
    error(Array(text.utf8), as: format)?.description
  }
}
