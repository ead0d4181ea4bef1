internal import PerfModel

enum MetricGroup: String, CaseIterable {
  case benchmark = "Benchmark"
  case frames = "Frames"
  case startup = "Startup"
  case time = "Time"
  case work = "Work"
  case memory = "Memory"
  case kernel = "Kernel"
  case cache = "Cache"
  case pressure = "Pressure"
  case counters = "Counters of the workload"

  static func of(_ name: String) -> MetricGroup {
    switch name.split(separator: ".").first {
    case "benchmark": .benchmark
    case "frame", "pacer": .frames
    case "startup": .startup
    case "wall", "cpu": .time
    case "work": .work
    case "rss", "pss", "alloc": .memory
    case "faults", "switches", "io", "psi", "pace", "run_delay", "steal", "machine": .kernel
    case "cache": .cache
    case "pressure", "crash": .pressure
    default: .counters
    }
  }

  /// Returns rows in groups, in the order of the groups; rows keep their order within a group.
  static func grouped<Element>(
    _ elements: [Element], name: (Element) -> String, row: (Element) -> [Table.Cell]
  ) -> [Table.Group] {
    let byGroup = Dictionary(grouping: elements) { of(name($0)) }
    return allCases.compactMap { group in
      byGroup[group].map { Table.Group(title: group.rawValue, rows: $0.map(row)) }
    }
  }
}
