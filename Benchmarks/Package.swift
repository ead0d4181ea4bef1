// swift-tools-version: 6.2

import PackageDescription

// The benchmarks are a package of their own, so that `swift build` of PerfKit does not build them.
// `Scripts/build release --benchmarks` builds both packages into one folder.

/// Settings of every Swift target, as in the root package.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("ImmutableWeakCaptures"),
  .treatAllWarnings(as: .error),
]

/// Settings of workers, whose async frames are marked for the sampler, as in the root package.
let workerSettings: [SwiftSetting] =
  settings + [
    .unsafeFlags([
      "-Xfrontend", "-enable-async-frame-pointer-all",
      "-Xfrontend", "-swift-async-frame-pointer=always",
    ])
  ]

let package = Package(
  name: "Benchmarks",
  products: [
    .executable(name: "PerfBench", targets: ["PerfBench"]),
    .executable(name: "BenchWorkloads", targets: ["BenchWorkloads"]),
  ],
  dependencies: [
    .package(name: "perfkit", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    .executableTarget(
      name: "PerfBench",
      dependencies: [
        .product(name: "PerfKit", package: "perfkit"),
        .product(name: "BookLibrary", package: "perfkit"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "BenchWorkloads",
      dependencies: [.product(name: "PerfWorkload", package: "perfkit")],
      swiftSettings: workerSettings),
  ]
)
