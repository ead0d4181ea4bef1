internal import PerfWorkload

WorkloadSuite(
  name: "BookWorkloads",
  workloads: [
    ColdStart.self, Scroll.self, CacheThrash.self, PressuredScroll.self, StoreQuery.self,
    EditionScore.self, BulkImport.self, FilterScroll.self, PaletteExtract.self,
    PaletteRequests.self, Drag.self, PrefetchSweep.self, OversizeCost.self, ThermalLadder.self,
    CacheWarming.self, NetworkFault.self, DiskReplay.self, Browse.self,
    BackgroundMix.self, Soak.self, SelftestWork.self, AccessClasses.self, OfflineScans.self,
    CacheTuning.self, LibraryPaging.self, ScanStream.self,
  ]
).main()
