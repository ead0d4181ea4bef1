/// A Swift package with a worker of one workload, for libraries, which have no program to measure.
public struct WorkerTemplate: Sendable {
  /// The folder of the package in the project.
  public static let folder = "Workloads"
  /// The worker's program.
  public static let product = "Workloads"
  /// The path of its manifest in the project.
  public static let manifestPath = "\(folder)/Package.swift"
  /// The name of its workload.
  public static let workload = "first"

  /// The library that the workload imports; nil for none.
  let library: String?
  /// The name of the project's package.
  let package: String
  /// The package with the library PerfWorkload.
  let support: PackageDependency

  /// Creates a template.
  ///
  /// - Parameters:
  ///   - library: The library that the workload measures; nil for none.
  ///   - package: The name of the project's package.
  ///   - support: The package with the library PerfWorkload.
  public init(library: String?, package: String, support: PackageDependency) {
    self.library = library
    self.package = package
    self.support = support
  }

  /// The files of the package, by their paths in the project.
  public var files: [(path: String, text: String)] {
    [
      (Self.manifestPath, manifest),
      ("\(Self.folder)/Sources/\(Self.product)/First.swift", source),
    ]
  }

  private var manifest: String {
    let project = library.map { library in
      (
        package: "    .package(name: \"\(package)\", path: \"..\"),\n",
        product: "        .product(name: \"\(library)\", package: \"\(package)\"),\n"
      )
    }
    return """
      // swift-tools-version: 6.0
      import PackageDescription

      let package = Package(
        name: "\(Self.product)",
        dependencies: [
      \(project?.package ?? "")    \(support.text),
        ],
        targets: [
          .executableTarget(
            name: "\(Self.product)",
            dependencies: [
      \(project?.product ?? "")        .product(name: "PerfWorkload", package: "\(support.name)"),
            ])
        ])

      """
  }

  private var source: String {
    """
    \(library.map { "import \($0)\n" } ?? "")import PerfWorkload

    /// Each launch is a fresh process: `init` prepares, `measure` is measured.
    @main
    struct First: Workload {
      static let name = "\(Self.workload)"
      static let summary = "Sorts random numbers: replace this by what your users wait for."

      private var numbers: [UInt64]

      init(_ context: PreparationContext) {
        var generator = SeededGenerator(seed: context.seed)
        numbers = (0..<300_000).map { _ in generator.next() }
      }

      mutating func measure(_ context: MeasurementContext) {
        numbers.sort()
      }
    }

    """
  }
}
