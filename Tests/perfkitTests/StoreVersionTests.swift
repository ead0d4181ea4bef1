import Foundation
import PerfGate
import PerfTestSupport
import Testing

@testable import perfkit

/// Two installed versions of perfkit that use one store.
struct StoreVersionTests {
  @Test(.enabled(if: TestCommand.hasTool("python3"), "there is no python3"))
  func `a store of a newer perfkit is refused by every verb with both versions, and not changed`()
    throws
  {
    let perfkit = try TestCommand.measuring("quick", "[/bin/true]")
    let run = ["run", "quick", "--no-report", "--no-profile"]
    #expect(perfkit.run(run).status == .done)
    let path = perfkit.folder(".perfkit/perfkit.sqlite")
    // A newer version leaves the name of its migration, as Schema.swift describes.
    let script = """
      import sqlite3, sys
      store = sqlite3.connect(sys.argv[1])
      store.execute("INSERT INTO grdb_migrations VALUES ('v100')")
      store.commit()
      store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
      """
    #expect(try DocumentTests.run(["python3", "-c", script, path]).status == 0)
    let before = FileManager.default.contents(atPath: path)
    for words in [
      run, ["gate", "--budgets-only"], ["list", "runs"], ["show"], ["compare", "latest", "latest"],
      ["history", "quick", "--metric", "wall"], ["report"], ["baseline", "save", "main", "latest"],
      ["store", "check"], ["store", "prune", "--keep", "0"], ["store", "vacuum"],
    ] {
      let result = perfkit.run(words)
      #expect(result.status == .failed, "\(words): \(result.output)\(result.errors)")
      #expect(
        result.says("its schema is v100, and this perfkit knows only v1"),
        "\(words): \(result.errors)")
    }
    #expect(FileManager.default.contents(atPath: path) == before)
  }

  @Test func `runs of two versions are stored together, and their comparison names both versions`()
    throws
  {
    let perfkit = try TestCommand.measuring("quick", "[/bin/true]", iterations: 6)
    for version in ["98.0.0", "99.0.0"] {
      let recorded = TestCommand.RecordedOutput()
      let context = perfkit.context(recorded, version: version)
      let status = Perfkit.run(["run", "quick", "--no-report", "--no-profile"], in: context)
      #expect(status == .done, "\(recorded.errors)")
    }
    let compared = perfkit("compare", "latest~1", "latest", "--format", "json")
    #expect(compared.status == .done, "\(compared.errors)")
    let differences = try compared.json()["environment_differences"] as? [[String: Any]] ?? []
    let difference = try #require(differences.first { $0["key"] as? String == "perfkit.version" })
    #expect(difference["base"] as? String == "98.0.0")
    #expect(difference["candidate"] as? String == "99.0.0")
    #expect(difference["voids"] as? Bool == false)
  }
}
