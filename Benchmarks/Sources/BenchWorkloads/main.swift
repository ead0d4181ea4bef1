internal import PerfWorkload

// Workloads whose outcome is known, for the measurements of PerfKit itself and for the tests of the
// harness.
WorkloadSuite(
  name: "BenchWorkloads",
  workloads: [
    Burn.self, Phases.self, AsyncChain.self, Idle.self, Tick.self, Fail.self, Hang.self,
    Crash.self, Garbage.self, Allocate.self, Functions.self,
  ]
).main()
