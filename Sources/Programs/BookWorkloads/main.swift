internal import PerfWorkload

WorkloadSuite(
  name: "BookWorkloads",
  workloads: [ColdStart.self, Scroll.self, CacheThrash.self, PressuredScroll.self]
).main()
