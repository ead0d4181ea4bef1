/// The tables of a hub in the schema `perfkit` of a database, and their versions.
///
/// A row has everything that lists and filters need in columns. The contents are compressed, and read by PerfKit
/// alone: reports and verdicts use the queries of the run store.
enum HubSchema {
  /// The statements that lead from each version to the next one; a released version is never edited.
  static let migrations = [
    """
    CREATE TABLE perfkit.runs (
      id text COLLATE "C" PRIMARY KEY,
      scenario text NOT NULL,
      variant text NOT NULL,
      label text,
      commit_hash text COLLATE "C",
      is_dirty boolean,
      machine text NOT NULL,
      host text,
      started_ms bigint NOT NULL,
      launches integer NOT NULL,
      failed integer NOT NULL,
      is_interrupted boolean NOT NULL,
      digest text NOT NULL,
      record bytea NOT NULL,
      record_size integer NOT NULL,
      bulk bytea,
      bulk_size integer,
      pushed timestamptz NOT NULL DEFAULT now(),
      pushed_by text NOT NULL DEFAULT session_user
    );
    ALTER TABLE perfkit.runs ALTER record SET STORAGE EXTERNAL, ALTER bulk SET STORAGE EXTERNAL;
    CREATE INDEX runs_by_time ON perfkit.runs (started_ms, id);
    CREATE INDEX runs_by_scenario ON perfkit.runs (scenario, started_ms, id);
    CREATE INDEX runs_by_subject ON perfkit.runs (scenario, variant, machine, started_ms, id);
    CREATE INDEX runs_by_label ON perfkit.runs (label) WHERE label IS NOT NULL;
    CREATE INDEX runs_by_commit ON perfkit.runs (commit_hash) WHERE commit_hash IS NOT NULL;

    CREATE TABLE perfkit.comparisons (
      id text COLLATE "C" PRIMARY KEY,
      subject text NOT NULL,
      started_ms bigint NOT NULL,
      is_finished boolean NOT NULL,
      runs text[] NOT NULL,
      record text NOT NULL
    );
    CREATE INDEX comparisons_by_run ON perfkit.comparisons USING gin (runs);

    CREATE TABLE perfkit.decisions (
      digest text PRIMARY KEY,
      comparison text COLLATE "C" NOT NULL,
      decided_ms bigint NOT NULL,
      record text NOT NULL
    );
    CREATE INDEX decisions_by_comparison ON perfkit.decisions (comparison);

    CREATE TABLE perfkit.baselines (
      name text PRIMARY KEY,
      saved_ms bigint NOT NULL,
      runs text[] NOT NULL
    );
    CREATE INDEX baselines_by_run ON perfkit.baselines USING gin (runs);
    """,
    """
    CREATE TABLE perfkit.jobs (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      state text NOT NULL DEFAULT 'waiting'
        CHECK (state IN ('waiting', 'running', 'done', 'failed', 'cancelled')),
      machine text,
      priority integer NOT NULL,
      request text NOT NULL,
      submitted timestamptz NOT NULL DEFAULT now(),
      submitted_by text NOT NULL DEFAULT session_user,
      attempts integer NOT NULL DEFAULT 0,
      runner text,
      lease_until timestamptz,
      is_stopping boolean NOT NULL DEFAULT false,
      comparison text,
      status integer,
      message text
    );
    CREATE INDEX jobs_waiting ON perfkit.jobs (priority DESC, id) WHERE state = 'waiting';
    CREATE INDEX jobs_running ON perfkit.jobs (lease_until) WHERE state = 'running';

    CREATE TABLE perfkit.job_events (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      job bigint NOT NULL REFERENCES perfkit.jobs ON DELETE CASCADE,
      at timestamptz NOT NULL DEFAULT now(),
      event text NOT NULL,
      runner text,
      detail text
    );
    CREATE INDEX job_events_by_job ON perfkit.job_events (job, id);
    """,
    """
    CREATE TABLE perfkit.shards (
      gate text COLLATE "C" NOT NULL,
      count integer NOT NULL,
      number integer NOT NULL,
      content bytea NOT NULL,
      content_size integer NOT NULL,
      pushed timestamptz NOT NULL DEFAULT now(),
      pushed_by text NOT NULL DEFAULT session_user,
      PRIMARY KEY (gate, count, number)
    );
    ALTER TABLE perfkit.shards ALTER content SET STORAGE EXTERNAL;
    """,
  ]

  /// The version that this program knows.
  static var current: Int { migrations.count }

  /// A key of `pg_advisory_xact_lock`: "PfSt" as in the mark of run stores.
  private static let lock = 0x5066_5374

  /// Refuses a database without the tables of a hub, or with another version.
  static func check(_ connection: Connection, hub: String) throws {
    let found = try version(connection)
    if found < current { throw HubError.olderSchema(hub: hub, found: found, known: current) }
    try refuseNewer(found, hub: hub)
  }

  /// Creates the tables, or updates them, in one transaction.
  ///
  /// - Returns: The version before, 0 for none.
  static func migrate(_ connection: Connection, hub: String) throws -> Int {
    // Two processes may migrate at the same time: the second one waits, and finds the tables.
    try connection.run("SELECT pg_advisory_xact_lock(\(lock))")
    try connection.script(
      """
      CREATE SCHEMA IF NOT EXISTS perfkit;
      CREATE TABLE IF NOT EXISTS perfkit.versions (
        version integer PRIMARY KEY, applied timestamptz NOT NULL DEFAULT now());
      """)
    let found = try version(connection)
    try refuseNewer(found, hub: hub)
    for (index, statements) in migrations.enumerated().dropFirst(found) {
      try connection.script(statements)
      try connection.run(
        "INSERT INTO perfkit.versions (version) VALUES ($1)", [.int(Int64(index + 1))])
    }
    return found
  }

  private static func version(_ connection: Connection) throws -> Int {
    Int(try connection.run("SELECT max(version)::text FROM perfkit.versions").int(0, 0) ?? 0)
  }

  private static func refuseNewer(_ found: Int, hub: String) throws(HubError) {
    if found > current { throw .newerSchema(hub: hub, found: found, known: current) }
  }

  /// Lets a role read the hub, and write runs as well.
  static func grant(_ connection: Connection, to role: String, writes: Bool, hub: String) throws {
    let known = try connection.run(
      "SELECT quote_ident(rolname) FROM pg_catalog.pg_roles WHERE rolname = $1", [.text(role)])
    guard let name = known.text(0, 0) else { throw HubError.unknownRole(hub: hub, role: role) }
    let rights = writes ? "SELECT, INSERT, UPDATE" : "SELECT"
    try connection.script(
      """
      GRANT USAGE ON SCHEMA perfkit TO \(name);
      GRANT \(rights) ON ALL TABLES IN SCHEMA perfkit TO \(name);
      ALTER DEFAULT PRIVILEGES IN SCHEMA perfkit GRANT \(rights) ON TABLES TO \(name);
      REVOKE INSERT, UPDATE ON perfkit.versions FROM \(name);
      """)
  }
}
