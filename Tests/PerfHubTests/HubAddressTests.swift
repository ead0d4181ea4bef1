import Testing

@testable import PerfHub

struct HubAddressTests {
  @Test(arguments: [
    ("postgresql://perf:s3cret@db.example.org/runs", "postgresql://perf@db.example.org/runs"),
    ("postgres://perf:s3%40cret@db:5433/runs", "postgresql://perf@db:5433/runs"),
    (
      "postgresql://perf@/runs?password=s3cret&sslmode=require",
      "postgresql://perf@/runs?sslmode=require"
    ),
    ("host=db user=perf password='s3 cret' dbname=runs", "postgresql://perf@db/runs"),
    ("postgresql:///runs?host=/var/run/s&sslpassword=s3cret", "postgresql:///runs?host=/var/run/s"),
    ("postgresql://[::1]/runs", "postgresql://[::1]/runs"),
    ("postgresql://a%40b@db/run%20s", "postgresql://a%40b@db/run%20s"),
  ])
  func `the description of an address omits its passwords and is an address`(
    text: String, shown: String
  ) throws {
    let address = try HubAddress(text)
    #expect("\(address)" == shown)
    #expect(address.hasPassword == text.contains("s3"))
    #expect(try HubAddress(shown).description == shown)
  }

  @Test(arguments: [
    "perfkit", "", "mysql://perf:s3cret@db/runs", "postgres://perf:s3cret@%zz/runs",
    "postgres://perf:s3%zzcret@db/runs", "postgres://perf:s3@s3cret@db/runs",
    "postgres://perf:s3cret@db/runs?sslmod=require", "host=db password=s3cret colour=red",
    "password='s3cret", "postgres://perf:s3cret@db:port/runs?=s3cret",
  ])
  func `the message about an invalid address repeats no part of a password`(text: String) throws {
    let error = try #require(throws: HubError.self) { try HubAddress(text) }
    #expect(!"\(error)".contains("s3"), "\(error)")
    #expect("\(error)".contains("the address of the hub is invalid: "), "\(error)")
  }

  @Test func `the message about an unknown option names the option`() throws {
    let error = #expect(throws: HubError.self) {
      try HubAddress("postgres://db/runs?sslmod=require")
    }
    #expect("\(try #require(error))".contains("sslmod"))
  }

  @Test func `a command line that runs keep has no password of its hub`() {
    let shown = "postgresql://perf@db/runs"
    let secret = "postgresql://perf:s3cret@db/runs"
    #expect(
      HubAddress.withoutPasswords(["run", "--hub", secret, "scroll", "--hub=\(secret)"])
        == ["run", "--hub", shown, "scroll", "--hub=\(shown)"])
    let measured = ["run", "--hub", shown, "--", "client", "--hub", secret]
    #expect(HubAddress.withoutPasswords(measured) == measured)
    #expect(HubAddress.withoutPasswords(["run", "--hub", "s3cret"]) == ["run", "--hub", "?"])
    #expect(HubAddress.withoutPasswords(["run", "--hub"]) == ["run", "--hub"])
  }
}
