import Foundation
import PerfModel
import PerfRunner
import PerfTestSupport
import Testing

/// The changes and the history of a checkout.
@Suite(.serialized)
struct CheckoutTests {
  private func checkout(_ repository: TestRepository) throws -> GitCheckout {
    try GitCheckout(
      containing: repository.root, variables: ProcessInfo.processInfo.environment)
  }

  private func workTree(_ repository: TestRepository) throws -> GitCheckout.Revision {
    try GitCheckout(
      containing: repository.root, variables: ProcessInfo.processInfo.environment,
      store: "\(repository.root)/.perfkit/perfkit.sqlite"
    ).revision(GitCheckout.workTree)
  }

  @Test func `changes on a signed commit are detected although git shows signatures`() throws {
    let repository = try TestRepository()
    let text = try repository.git("cat-file", "commit", "HEAD")
    let signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----"
    let parts = text.components(separatedBy: "\n\n")
    try #require(parts.count == 2)
    try repository.write(".git/signed", "\(parts[0])\n\(signature)\n\n\(parts[1])\n")
    // git prints the answer of the gpg program before its own output.
    let program = repository.root + "/.git/gpg"
    try Executable.write(
      "#!/bin/sh\necho 'gpg: made' >&2\necho '[GNUPG:] BADSIG 1234567890 A Reader'\n", to: program)
    try repository.git("config", "gpg.program", program)
    try repository.git("config", "log.showSignature", "true")
    let signed = try repository.git("hash-object", "-t", "commit", "-w", ".git/signed")
    try repository.git("update-ref", "HEAD", signed)
    #expect(try repository.git("show", "--no-patch", "--format=%s") == "gpg: made\nFirst")
    #expect(try !workTree(repository).isDirty)
    try repository.program(decode: 20, layout: 21)
    #expect(try workTree(repository).isDirty)
    #expect(try checkout(repository).subject(of: signed) == "First")
  }

  @Test func `a moved file counts as changed under both names`() throws {
    let repository = try TestRepository()
    try repository.write("covers.csv", "one\ntwo\nthree\n")
    try repository.commit("Covers")
    try repository.git("mv", "covers.csv", "covers.swift")
    try repository.commit("Covers in code")
    let checkout = try checkout(repository)
    #expect(
      try checkout.changedFiles(
        from: checkout.revision("HEAD~1"), to: checkout.revision("HEAD"))
        == ["covers.csv", "covers.swift"])
  }

  @Test func `hunks are the changed lines of sources between two revisions`() throws {
    let repository = try TestRepository()
    try repository.write("src/a b.c", "one\ntwo\nthree\n")
    try repository.write("notes.md", "one\n")
    try repository.commit("Sources")
    try repository.write("src/a b.c", "one\nTWO\nthree\nfour\n")
    try repository.write("notes.md", "two\n")
    try repository.git("config", "diff.noprefix", "true")
    let checkout = try checkout(repository)
    let (head, changed) = (try checkout.revision("HEAD"), try workTree(repository))
    let hunks = try #require(try checkout.hunks(from: head, to: changed))
    // Line four is new after line three of the base.
    #expect(hunks.base == ["src/a b.c": [2...2, 3...4]])
    #expect(hunks.candidate == ["src/a b.c": [2...2, 4...4]])
    #expect(try checkout.hunks(from: head, to: head) == nil)
  }

  @Test func `a protected revision has a reference that is no branch`() throws {
    let repository = try TestRepository()
    try repository.write("notes.md", "A note.")
    let changed = try workTree(repository)
    try checkout(repository).protect(changed, as: "campaign-1-1")
    #expect(try repository.git("rev-parse", "refs/perfkit/campaign-1-1") == changed.commit)
    #expect(try repository.git("branch", "--list") == "* main")
    let again = try checkout(repository).revision("refs/perfkit/campaign-1-1")
    #expect(again.isDirty && again.commit == changed.commit && again.head == changed.head)
  }

  @Test func `a change within a second of the commit and of the same size is detected`() throws {
    let repository = try TestRepository()
    // File and index keep their times and sizes, which git compares first.
    try repository.git("config", "core.trustctime", "false")
    let date = Date(timeIntervalSince1970: 1_700_000_000)
    func setDate(_ path: String) throws {
      try FileManager.default.setAttributes(
        [.modificationDate: date], ofItemAtPath: "\(repository.root)/\(path)")
    }
    try setDate("work.c")
    try repository.git("add", "work.c")
    try setDate(".git/index")
    try repository.program(decode: 20, layout: 40)
    try setDate("work.c")
    let checkout = try checkout(repository)
    let changed = try checkout.changedFiles(
      from: checkout.revision("HEAD"), to: checkout.revision(GitCheckout.workTree))
    #expect(changed == ["work.c"])
  }

  @Test func `a missing revision of a shallow clone is reported with the command that fetches it`()
    throws
  {
    let repository = try TestRepository()
    try repository.write("README", "words")
    try repository.commit("Words")
    let clone = try TemporaryFolder(named: "shallow clone")
    try repository.git(
      "clone", "--quiet", "--depth", "1", "file://" + repository.root, clone.path)
    let checkout = try GitCheckout(
      containing: clone.path, variables: ProcessInfo.processInfo.environment)
    #expect {
      try checkout.revision("HEAD~1")
    } throws: { error in
      "\(error)".contains("there is no revision 'HEAD~1'") && "\(error)".contains("--unshallow")
    }
    #expect(try checkout.revision(GitCheckout.workTree).isDirty == false)
  }

  @Test func `a commit with the page of a decision contains its change`() throws {
    let repository = try TestRepository()
    let checkout = try checkout(repository)
    let before = try repository.git("rev-parse", "HEAD")
    let page = repository.root + "/Reports/decisions/0001-work-kept.md"
    try repository.write("Reports/decisions/0001-work-kept.md", "# 1.\n")
    #expect(!checkout.hasFile(page, in: before))
    try repository.git("add", "--force", "Reports/decisions")
    try repository.commit("Page")
    let after = try repository.git("rev-parse", "HEAD")
    #expect(checkout.hasFile(page, in: after) && !checkout.hasFile(page, in: before))
    #expect(!checkout.hasFile("/elsewhere/0001-work-kept.md", in: after))
    #expect(checkout.isAncestor(before, of: after) && checkout.isAncestor(after, of: after))
    #expect(!checkout.isAncestor(after, of: before))
    #expect(!checkout.isAncestor(String(repeating: "1", count: 40), of: after))
  }

  @Test func `a merge has the commits of its branch after the commit at which it began`() throws {
    let repository = try TestRepository()
    func commit(_ name: String) throws -> String {
      try repository.write(name, "words")
      try repository.commit(name)
      return try repository.git("rev-parse", "HEAD")
    }
    let start = try repository.git("rev-parse", "HEAD")
    try repository.git("checkout", "--quiet", "-b", "side")
    let side = [try commit("one"), try commit("two")]
    try repository.git("checkout", "--quiet", "main")
    let beside = try commit("beside")
    try repository.git("merge", "--quiet", "--no-ff", "-m", "Merge", "side")
    let merge = try repository.git("rev-parse", "HEAD")
    let checkout = try checkout(repository)
    let branches = try checkout.branches(mergedBy: merge)
    #expect(branches.map(\.commits) == [side])
    #expect(branches.map(\.start.commit) == [start])
    #expect(try checkout.branches(mergedBy: beside).isEmpty)
  }

  @Test func `three dots name the merge base of two revisions`() throws {
    let repository = try TestRepository()
    let fork = try repository.git("rev-parse", "HEAD")
    for branch in ["side", "main"] {
      try repository.git("checkout", "--quiet", branch == "main" ? "main" : "-b\(branch)")
      try repository.write(branch, "words")
      try repository.commit(branch)
    }
    let checkout = try checkout(repository)
    for name in ["side...main", "side...HEAD", "side...", "...side"] {
      #expect(try checkout.revision(name).commit == fork, "\(name)")
    }
    #expect(
      try checkout.revision("side...main").title == "the merge base with main (\(fork.prefix(10)))")
    let error = #expect(throws: RevisionError.self) { try checkout.revision("main...nowhere") }
    #expect(error?.description.contains("'nowhere'") == true)
  }

  @Test func `commits of other branches are elsewhere in the history of HEAD`() throws {
    let repository = try TestRepository()
    let first = try repository.git("rev-parse", "HEAD")
    try repository.git("checkout", "--quiet", "-b", "side")
    try repository.git("commit", "--quiet", "--allow-empty", "--message", "Side")
    let side = try repository.git("rev-parse", "HEAD")
    let checkout = try checkout(repository)
    #expect(try checkout.history(of: [first, side]).elsewhere.isEmpty)
    try repository.git("checkout", "--quiet", "main")
    let history = try checkout.history(of: [first, side, String(repeating: "0", count: 40)])
    #expect(history.order == [first, side] && history.elsewhere == [side])
  }

  @Test func `messages in another encoding are read as UTF-8`() throws {
    let repository = try TestRepository()
    try repository.git("config", "i18n.commitEncoding", "ISO-8859-1")
    try repository.git("config", "i18n.logOutputEncoding", "ISO-8859-1")
    // "Größe" in Latin-1.
    let message = Data([0x47, 0x72, 0xF6, 0xDF, 0x65])
    try message.write(to: URL(fileURLWithPath: repository.root + "/.git/message"))
    try repository.git("commit", "--quiet", "--allow-empty", "--file", ".git/message")
    let commit = try repository.git("rev-parse", "HEAD")
    let checkout = try checkout(repository)
    #expect(try checkout.subject(of: commit) == "Größe")
    #expect(try checkout.history(of: [commit]).summaries[commit] == "Größe")
  }

  @Test func `files of a revision and files that git ignores are known`() throws {
    let repository = try TestRepository()
    let checkout = try checkout(repository)
    let head = try checkout.revision("HEAD")
    try repository.write("perfkit.yml", "changed")
    #expect(try checkout.text(of: "perfkit.yml", in: head)?.hasPrefix("build: ") == true)
    #expect(try checkout.text(of: "missing.yml", in: head) == nil)
    // The test repository ignores its reports.
    #expect(checkout.isIgnored(repository.root + "/Reports/decisions/0001-work-kept.md"))
    #expect(!checkout.isIgnored(repository.root + "/perfkit.yml"))
  }

  @Test func `the commits after a merged branch leave out those that lack the good revision`()
    throws
  {
    let repository = try TestRepository()
    func commit(_ name: String) throws -> String {
      try repository.write(name, "words")
      try repository.commit(name)
      return try repository.git("rev-parse", "HEAD")
    }
    let first = try repository.git("rev-parse", "HEAD")
    try repository.git("checkout", "--quiet", "-b", "side")
    let side = try commit("side")
    try repository.git("checkout", "--quiet", "main")
    let beside = try commit("beside")
    try repository.git("merge", "--quiet", "--no-ff", "-m", "Merge", "side")
    let merge = try repository.git("rev-parse", "HEAD")
    let last = try commit("last")
    let checkout = try checkout(repository)
    func commits(after good: String) throws -> [String] {
      try checkout.commits(after: checkout.revision(good), to: checkout.revision("HEAD"))
    }
    #expect(try commits(after: side) == [merge, last])
    #expect(try commits(after: first) == [beside, merge, last])
    #expect(try commits(after: last).isEmpty)
  }
}
