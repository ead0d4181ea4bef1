internal import PerfWorkload

WorkloadSuite(
  name: "BookWorkloads",
  workloads: [
    ColdStart.self, Scroll.self, CacheThrash.self, PressuredScroll.self, StoreQuery.self,
    EditionScore.self, BulkImport.self, FilterScroll.self, PaletteExtract.self,
    PaletteRequests.self, Drag.self,
  ]
).main()
