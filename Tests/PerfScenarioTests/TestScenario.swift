import PerfModel
import PerfScenario

/// The smallest scenario; tests append keys from line 5 on.
let head = """
  scenario: s
  summary: A test.
  workload: book.scroll
  worker: BookWorkloads

  """

/// Returns the error message of a text as the file `s.yml`, or nil.
func complaint(_ text: String, path: String = "s.yml") -> String? {
  do throws(ScenarioError) {
    _ = try ScenarioFile(text: text, path: path)
    return nil
  } catch {
    return error.description
  }
}

/// Returns the error message of a text when it is checked against the worker, or nil.
func workerComplaint(_ text: String) -> String? {
  do throws(ScenarioError) {
    _ = try ScenarioFile(text: text, path: "s.yml").checked(against: bookWorkloads)
    return nil
  } catch {
    return error.description
  }
}

/// A worker with one workload that has a parameter of each type.
let bookWorkloads = WorkerDescription(
  suite: "BookWorkloads", configuration: "release", compiler: "6.3.1",
  workloads: [
    WorkerDescription.Workload(
      name: "book.scroll", summary: "Scrolls.", startsAtLaunch: false,
      parameters: [
        .init(
          name: "books", kind: .int, defaultValue: .int(1000), summary: "Books.", minimum: 1,
          maximum: 10_000),
        .init(name: "columns", kind: .int, defaultValue: .int(3), summary: "Columns.", minimum: 1),
        .init(name: "refresh", kind: .int, defaultValue: .int(120), summary: "Hertz."),
        .init(name: "fling", kind: .double, defaultValue: .double(2000), summary: "Points/s."),
        .init(
          name: "decode", kind: .string, defaultValue: .string("scaled"), summary: "How.",
          choices: ["full", "scaled"]),
        .init(
          name: "cache", kind: .string, defaultValue: .string("lru"), summary: "Which.",
          choices: ["dictionary", "lru"]),
        .init(
          name: "loading", kind: .string, defaultValue: .string("async"), summary: "Where.",
          choices: ["main-thread", "async"]),
        .init(name: "prefetch", kind: .int, defaultValue: .int(0), summary: "Rows.", maximum: 100),
        .init(name: "covers", kind: .string, defaultValue: .string(""), summary: "A folder."),
        .init(name: "paced", kind: .bool, defaultValue: .bool(true), summary: "Sleeps."),
      ],
      counters: [
        MetricDefinition(
          name: "covers.loaded", dimension: .count, direction: .higher, scale: .difference,
          summary: "Covers.")
      ])
  ])
