// swift-tools-version: 6.2

import PackageDescription

/// Settings of every Swift target: strict imports, explicit existentials.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("ImmutableWeakCaptures"),
]

/// Settings of the targets that speak to no C library: every unsafe expression is a warning there.
let safeSettings: [SwiftSetting] = settings + [.strictMemorySafety()]

/// Settings of workers, whose async frames are marked.
///
/// By the mark the sampler finds who waits for them; neither flag is a default on Linux.
let workerSettings: [SwiftSetting] =
  settings + [
    .unsafeFlags([
      "-Xfrontend", "-enable-async-frame-pointer-all",
      "-Xfrontend", "-swift-async-frame-pointer=always",
    ])
  ]

let package = Package(
  name: "perfkit",
  products: [
    .executable(name: "perfkit", targets: ["perfkit"]),
    .executable(name: "BookWorkloads", targets: ["BookWorkloads"]),
    .library(name: "PerfWorkload", targets: ["PerfWorkload"]),
    .library(name: "PerfTesting", targets: ["PerfTesting"]),
    .library(name: "PerfTracing", targets: ["PerfTracing"]),
    .library(
      name: "PerfKit",
      targets: [
        "PerfModel", "PerfStatistics", "PerfProfile", "PerfScenario", "PerfRunner", "PerfStore",
        "PerfReport", "PerfClaims", "PerfExport", "PerfGate", "PerfHub",
      ]),
    .library(name: "BookLibrary", targets: ["CoverCache", "CoverPalette", "LibraryStore"]),
    .plugin(name: "PerfKitCommand", targets: ["PerfKitCommand"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
  ],
  targets: [
    // MARK: Agent: what runs inside the measured process
    // CPerfAgent is built by Scripts/build into libperfkit-agent.so, -counts.so and -heap.so, and
    // linked by nothing here.
    .target(name: "CPerfFormat", path: "Sources/Agent/CPerfFormat"),
    .target(name: "PerfProtocol", path: "Sources/Agent/PerfProtocol", swiftSettings: settings),
    .target(
      name: "PerfWorkload", dependencies: ["CPerfFormat", "PerfProtocol"],
      path: "Sources/Agent/PerfWorkload", swiftSettings: settings),
    .target(
      name: "PerfTesting", dependencies: ["PerfWorkload"], path: "Sources/Agent/PerfTesting",
      swiftSettings: settings),
    .target(
      name: "PerfTracing",
      dependencies: [
        "PerfWorkload", .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ],
      path: "Sources/Agent/PerfTracing", swiftSettings: settings),

    // MARK: Toolkit: the harness
    .target(
      name: "PerfModel", dependencies: ["PerfProtocol"], path: "Sources/Toolkit/PerfModel",
      swiftSettings: safeSettings),
    .target(
      name: "PerfStatistics", dependencies: ["PerfModel", "PerfProtocol"],
      path: "Sources/Toolkit/PerfStatistics", swiftSettings: safeSettings),
    .target(
      name: "PerfProfile",
      dependencies: ["PerfModel", "CPerfFormat", "CUnwind", "CLinux", "CDeflate", "CDwarf"],
      path: "Sources/Toolkit/PerfProfile", swiftSettings: settings),
    .target(
      name: "PerfScenario",
      dependencies: ["PerfModel", .product(name: "Yams", package: "Yams")],
      path: "Sources/Toolkit/PerfScenario", swiftSettings: safeSettings),
    .target(
      name: "PerfRunner", dependencies: ["PerfModel", "PerfProfile", "PerfProtocol", "CLinux"],
      path: "Sources/Toolkit/PerfRunner", swiftSettings: settings),
    .target(
      name: "PerfStore",
      dependencies: ["PerfModel", .product(name: "GRDB", package: "GRDB.swift")],
      path: "Sources/Toolkit/PerfStore", exclude: ["SCHEMA.md"], swiftSettings: safeSettings),
    .target(
      name: "PerfReport",
      dependencies: [
        "PerfModel", "PerfStatistics", .product(name: "Mustache", package: "swift-mustache"),
      ],
      path: "Sources/Toolkit/PerfReport",
      resources: [.embedInCode("Resources")],
      swiftSettings: safeSettings),
    .target(
      name: "PerfClaims",
      dependencies: ["PerfModel", "PerfStatistics", "PerfScenario", "PerfReport"],
      path: "Sources/Toolkit/PerfClaims", swiftSettings: safeSettings),
    .target(
      name: "PerfExport",
      dependencies: [
        "PerfModel", "CDeflate", .product(name: "SwiftProtobuf", package: "swift-protobuf"),
      ],
      path: "Sources/Toolkit/PerfExport", exclude: ["Pprof/profile.proto"],
      swiftSettings: safeSettings),

    .target(
      name: "PerfGate",
      dependencies: [
        "PerfModel", "PerfStatistics", "PerfProfile", "PerfScenario", "PerfRunner", "PerfStore",
        "PerfReport",
      ],
      path: "Sources/Toolkit/PerfGate", swiftSettings: settings),
    .target(
      name: "PerfHub", dependencies: ["PerfModel", "PerfStore", "CPostgres", "CDeflate"],
      path: "Sources/Toolkit/PerfHub", swiftSettings: settings),

    // MARK: Library: the modules under test; no word of PerfKit in them
    .target(
      name: "CoverCache",
      dependencies: [
        "CTurboJPEG", "CLinux", .product(name: "DequeModule", package: "swift-collections"),
        .product(name: "HeapModule", package: "swift-collections"),
      ],
      path: "Sources/Library/CoverCache", swiftSettings: settings),
    .target(
      name: "CoverPalette", dependencies: ["CoverCache"], path: "Sources/Library/CoverPalette",
      swiftSettings: settings),
    .target(
      name: "LibraryStore",
      dependencies: [
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ],
      path: "Sources/Library/LibraryStore", swiftSettings: safeSettings),

    // MARK: Programs
    .executableTarget(
      name: "perfkit",
      dependencies: [
        "PerfModel", "PerfStatistics", "PerfProfile", "PerfScenario", "PerfRunner", "PerfStore",
        "PerfReport", "PerfExport", "PerfGate", "PerfClaims", "PerfHub", "CEventLoop",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Sources/Programs/perfkit",
      resources: [.embedInCode("Resources")],
      swiftSettings: settings),
    .executableTarget(
      name: "BookWorkloads",
      dependencies: ["PerfWorkload", "CoverCache", "CoverPalette", "LibraryStore"],
      path: "Sources/Programs/BookWorkloads", swiftSettings: workerSettings),

    .plugin(
      name: "PerfKitCommand",
      capability: .command(
        intent: .custom(
          verb: "perfkit", description: "Measure whether a change improved this package."),
        permissions: [
          .writeToPackageDirectory(
            reason:
              "perfkit stores runs in .perfkit, reports in Reports, and init writes first files.")
        ])),

    // MARK: System
    .target(
      name: "CUnwind", path: "Sources/System/CUnwind",
      linkerSettings: [.linkedLibrary("unwind-generic")]),
    .target(name: "CLinux", path: "Sources/System/CLinux"),
    .target(name: "CEventLoop", path: "Sources/System/CEventLoop"),
    .systemLibrary(
      name: "CTurboJPEG", path: "Sources/System/CTurboJPEG", pkgConfig: "libturbojpeg",
      providers: [.apt(["libturbojpeg0-dev"])]),
    .systemLibrary(
      name: "CDeflate", path: "Sources/System/CDeflate", pkgConfig: "libdeflate",
      providers: [.apt(["libdeflate-dev"])]),
    .systemLibrary(
      name: "CDwarf", path: "Sources/System/CDwarf", pkgConfig: "libdw",
      providers: [.apt(["libdw-dev"])]),
    .systemLibrary(
      name: "CPostgres", path: "Sources/System/CPostgres", pkgConfig: "libpq",
      providers: [.apt(["libpq-dev"])]),

    // MARK: Tests
    .target(
      name: "PerfTestSupport", dependencies: ["PerfModel", "PerfReport"],
      path: "Tests/PerfTestSupport", swiftSettings: settings),
    test("PerfProtocol"),
    test("PerfWorkload", extra: ["CPerfFormat", "PerfProtocol"]),
    test("PerfTesting", extra: ["PerfModel", "PerfStore"]),
    test(
      "PerfTracing",
      extra: [
        "PerfTesting", "PerfModel", "PerfStore",
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ]),
    .testTarget(
      name: "CPerfAgentTests",
      dependencies: ["CLinux", "CPerfFormat", "PerfProfile", "PerfTestSupport"],
      path: "Tests/CPerfAgentTests", exclude: ["Programs"], swiftSettings: settings),
    test("PerfModel"),
    test("PerfStatistics", extra: ["PerfModel"]),
    test(
      "PerfProfile", extra: ["PerfModel", "PerfExport", "CPerfFormat", "CUnwind"],
      exclude: ["Programs"]),
    test("PerfScenario", extra: ["PerfModel"]),
    test(
      "PerfRunner", extra: ["PerfModel", "PerfProfile", "PerfProtocol"], exclude: ["Programs"]),
    test("PerfStore", extra: ["PerfModel", .product(name: "GRDB", package: "GRDB.swift")]),
    test("PerfExport", extra: ["PerfModel"]),
    test("PerfReport", extra: ["PerfModel", "PerfStatistics"], exclude: ["Snapshots"]),
    test(
      "PerfClaims", extra: ["PerfModel", "PerfStatistics", "PerfScenario", "PerfReport"],
      exclude: ["Snapshots"]),
    test("CoverCache"),
    test("CoverPalette", extra: ["CoverCache"]),
    test("LibraryStore", extra: [.product(name: "GRDB", package: "GRDB.swift")]),
    test("BookWorkloads", extra: ["PerfWorkload", "CoverCache", "CoverPalette", "LibraryStore"]),
    test(
      "PerfGate",
      extra: ["PerfModel", "PerfScenario", "PerfRunner", "PerfStore", "PerfReport"]),
    test("PerfHub", extra: ["PerfModel", "PerfStore"]),
    test(
      "perfkit",
      extra: [
        "PerfModel", "PerfProfile", "PerfScenario", "PerfRunner", "PerfStore", "PerfReport",
        "PerfClaims", "PerfGate", "PerfExport", "PerfHub",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      exclude: ["Programs"]),
  ]
)

/// Returns the test target of a target, in `Tests/<name>Tests`.
func test(_ name: String, extra: [Target.Dependency] = [], exclude: [String] = []) -> Target {
  .testTarget(
    name: "\(name)Tests",
    dependencies: [.byName(name: name), "PerfTestSupport"] + extra,
    path: "Tests/\(name)Tests",
    exclude: exclude,
    swiftSettings: settings)
}
