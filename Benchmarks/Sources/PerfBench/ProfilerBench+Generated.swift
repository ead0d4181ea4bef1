internal import Foundation
internal import PerfModel

/// Programs whose code is generated while they run.
extension ProfilerBench {
  /// Measures the named share of the CPU time of programs whose code is generated.
  func generated(_ workshop: BenchWorkshop, _ table: FigureTable) throws {
    let (script, source) = (workshop.file("script.js"), workshop.file("Main.java"))
    let (loop, luaLoop) = (workshop.file("loop.py"), workshop.file("loop.lua"))
    try Self.script.write(toFile: script, atomically: true, encoding: .utf8)
    try Self.javaProgram.write(toFile: source, atomically: true, encoding: .utf8)
    try Self.pythonProgram.write(toFile: loop, atomically: true, encoding: .utf8)
    try Self.luaProgram.write(toFile: luaLoop, atomically: true, encoding: .utf8)
    let java = [
      "-XX:+PreserveFramePointer", "-XX:+UnlockDiagnosticVMOptions", "-XX:+DumpPerfMapAtExit",
    ]
    // Without a path, node writes a log into the working directory.
    let log = "--logfile=" + workshop.file("node.log")
    for (tool, name, options) in [
      ("node", "node with a perf map", ["--perf-basic-prof", log, script]),
      ("java", "java with a perf map", java + [source]),
      // Earlier versions of Python have no perf map.
      ("python3.12", "python3.12 with a perf map", ["-X", "perf", loop]),
      // Packages have no perf map, which needs a build with LUAJIT_USE_PERFTOOLS.
      ("luajit", "luajit, which has no perf map in packages", [luaLoop]),
    ] {
      guard let program = Self.program(tool, workshop) else {
        table.add("engine perf, \(name)", measured: "\(tool) is not installed")
        continue
      }
      do {
        guard
          let profile = try workshop.record([program] + options, rate: 1000, engine: .perf)
        else { continue }
        let figure = "engine perf, \(name): named CPU time"
        add(profile, figure, hasTarget: tool == "node", table)
      } catch {
        // The reason has paths of this machine.
        print("\(tool) failed: \(error)")
        table.add("engine perf, \(name)", measured: "\(tool) does not run")
      }
    }
  }

  /// Returns the path of a tool.
  ///
  /// The Python in PATH may be a shim of pyenv without a version. Then a version of pyenv is used.
  private static func program(_ tool: String, _ workshop: BenchWorkshop) -> String? {
    let found = workshop.tool(tool)
    guard tool == "python3.12" else { return found }
    let variables = ProcessInfo.processInfo.environment
    let versions = (variables["PYENV_ROOT"] ?? NSHomeDirectory() + "/.pyenv") + "/versions"
    let installed = (try? FileManager.default.contentsOfDirectory(atPath: versions)) ?? []
    let others = installed.filter { $0.hasPrefix("3.12") }.sorted()
      .map { "\(versions)/\($0)/bin/\(tool)" }
    return ([found].compactMap(\.self) + others).first { path in
      (try? PerfScript.run(path, ["-c", "1"], keepsOutput: false)) != nil
    }
  }

  private func add(
    _ profile: Profile, _ figure: String, hasTarget: Bool, _ table: FigureTable
  ) {
    let isNamed = profile.functions.map { $0.name != "[unknown]" }
    var (known, all) = (0.0, 0.0)
    for count in profile.counts where count.state == .running {
      all += count.weight
      if isNamed[profile.nodes[count.node].function] { known += count.weight }
    }
    table.add(
      figure, target: hasTarget ? ">= 95 %" : "",
      measured: "\(NumberFormat.human(known / max(all, 1), .ratio)), "
        + "\(profile.audit.complete) of \(profile.audit.samples) stacks complete",
      isMet: hasTarget ? known >= 0.95 * all : nil)
  }

  private static let javaProgram = """
    public class Main {
      static long fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
      public static void main(String[] words) {
        long end = System.nanoTime() + 4_000_000_000L, sum = 0;
        while (System.nanoTime() < end) {
          sum += fib(25);
          StringBuilder text = new StringBuilder();
          for (int i = 0; i < 20000; i++) text.append(i % 97);
          sum += text.toString().hashCode();
        }
        System.out.println(sum != 0);
      }
    }

    """

  private static let pythonProgram = """
    import time
    def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
    def words(n): return len({str(i % 5000): i for i in range(n)})
    end = time.monotonic() + 4
    total = 0
    while time.monotonic() < end: total += fib(18) + words(20000)
    print(total > 0)

    """

  private static let luaProgram = """
    local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
    local limit, total = os.clock() + 4, 0
    while os.clock() < limit do total = total + fib(22) end
    print(total > 0)

    """

  private static let script = """
    function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
    function sieve(n) {
      const a = new Uint8Array(n); let c = 0;
      for (let i = 2; i < n; i++) if (!a[i]) { c++; for (let j = i * 2; j < n; j += i) a[j] = 1; }
      return c;
    }
    function strings(n) {
      const m = new Map();
      for (let i = 0; i < n; i++) { const k = 'k' + (i % 5000); m.set(k, (m.get(k) || 0) + 1); }
      return m.size;
    }
    let s = 0; const t = Date.now();
    while (Date.now() - t < 4000) s += fib(27) + sieve(400000) + strings(100000);
    console.log(s > 0);
    """
}
