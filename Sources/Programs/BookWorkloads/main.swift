internal import PerfWorkload

WorkloadSuite(name: "BookWorkloads", workloads: [ColdStart.self]).main()
