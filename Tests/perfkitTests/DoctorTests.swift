import PerfTestSupport
import Testing

/// `perfkit doctor`, whose process has the variables.
struct DoctorTests {
  @Test(arguments: [("", "not found"), ("/none", "'/none' cannot be run")])
  func `the symbolizer is the one of a run`(chosen: String, found: String) throws {
    let (_, text) = try DocumentTests.run([
      "env", "PERFKIT_LLVM_SYMBOLIZER=\(chosen)", "\(TestPrograms.folder)/perfkit", "doctor",
      "--format", "csv",
    ])
    let line = "degraded,llvm-symbolizer,\(found): programs with split debug information"
    #expect(text.contains(line), "\(text)")
  }
}
