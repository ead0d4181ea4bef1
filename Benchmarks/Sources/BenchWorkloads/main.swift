internal import PerfWorkload

// Workloads with known results, for the benchmarks of PerfKit and the tests of the harness.
WorkloadSuite(
  name: "BenchWorkloads",
  workloads: [
    Burn.self, Phases.self, AsyncChain.self, Idle.self, Tick.self, Fail.self, Hang.self,
    Crash.self, Garbage.self, Allocate.self, Functions.self, MakeTasks.self,
    TaskWaits.self,
  ]
).main()
