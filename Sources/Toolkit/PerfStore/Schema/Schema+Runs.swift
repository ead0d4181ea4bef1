internal import GRDB

extension Schema {
  /// Version 1: runs with everything that was measured.
  static func createRuns(_ db: Database) throws {
    try db.execute(sql: runTables)
    try db.execute(sql: metricTables)
    try db.execute(sql: profileTables)
    try db.execute(sql: views)
  }

  private static let runTables = """
    CREATE TABLE runs (
      key INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      scenario TEXT NOT NULL,
      variant TEXT NOT NULL,
      label TEXT,
      commit_hash TEXT,
      is_dirty INTEGER,
      state TEXT NOT NULL CHECK (state IN ('running', 'finished', 'interrupted')),
      started_ms INTEGER NOT NULL,
      seed INTEGER NOT NULL,
      command TEXT NOT NULL
    ) STRICT;
    CREATE INDEX runs_by_time ON runs (started_ms);
    CREATE INDEX runs_by_subject ON runs (scenario, variant, started_ms);
    CREATE INDEX runs_by_label ON runs (label) WHERE label IS NOT NULL;
    CREATE INDEX runs_by_commit ON runs (commit_hash) WHERE commit_hash IS NOT NULL;

    CREATE TABLE parameters (
      run INTEGER NOT NULL REFERENCES runs (key) ON DELETE CASCADE,
      name TEXT NOT NULL,
      kind TEXT NOT NULL CHECK (kind IN ('int', 'double', 'string', 'bool')),
      value ANY,
      PRIMARY KEY (run, name)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE environments (
      run INTEGER NOT NULL REFERENCES runs (key) ON DELETE CASCADE,
      fact TEXT NOT NULL,
      value TEXT NOT NULL,
      PRIMARY KEY (run, fact)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE budgets (
      run INTEGER NOT NULL REFERENCES runs (key) ON DELETE CASCADE,
      position INTEGER NOT NULL,
      metric TEXT NOT NULL,
      statistic TEXT NOT NULL CHECK (statistic IN ('min', 'mean', 'max', 'percentile')),
      percentile REAL,
      comparison TEXT NOT NULL CHECK (comparison IN ('<=', '>=', '==')),
      base_limit REAL NOT NULL,
      unit TEXT NOT NULL,
      PRIMARY KEY (run, position)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE warnings (
      run INTEGER NOT NULL REFERENCES runs (key) ON DELETE CASCADE,
      position INTEGER NOT NULL,
      code TEXT NOT NULL,
      message TEXT NOT NULL,
      remedy TEXT NOT NULL,
      PRIMARY KEY (run, position)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE iterations (
      key INTEGER PRIMARY KEY,
      run INTEGER NOT NULL REFERENCES runs (key) ON DELETE CASCADE,
      number INTEGER NOT NULL,
      is_warmup INTEGER NOT NULL,
      status TEXT NOT NULL CHECK (
        status IN ('completed', 'crashed', 'timed out', 'jetsam', 'failed', 'interrupted')),
      signal INTEGER,
      message TEXT,
      offset_ns INTEGER NOT NULL,
      UNIQUE (run, number)
    ) STRICT;

    """

  private static let metricTables = """
    CREATE TABLE metrics (
      key INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE
    ) STRICT;

    CREATE TABLE metric_values (
      iteration INTEGER NOT NULL REFERENCES iterations (key) ON DELETE CASCADE,
      metric INTEGER NOT NULL REFERENCES metrics (key),
      value REAL,
      PRIMARY KEY (iteration, metric)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE definitions (
      key INTEGER PRIMARY KEY,
      metric INTEGER NOT NULL REFERENCES metrics (key),
      dimension TEXT NOT NULL,
      direction TEXT NOT NULL,
      scale TEXT NOT NULL,
      is_deterministic INTEGER NOT NULL,
      summary TEXT NOT NULL,
      UNIQUE (metric, dimension, direction, scale, is_deterministic, summary)
    ) STRICT;

    CREATE TABLE run_definitions (
      run INTEGER NOT NULL REFERENCES runs (key) ON DELETE CASCADE,
      position INTEGER NOT NULL,
      definition INTEGER NOT NULL REFERENCES definitions (key),
      PRIMARY KEY (run, position)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE series (
      iteration INTEGER NOT NULL REFERENCES iterations (key) ON DELETE CASCADE,
      position INTEGER NOT NULL,
      name TEXT NOT NULL,
      dimension TEXT NOT NULL,
      points INTEGER NOT NULL,
      data BLOB NOT NULL,
      PRIMARY KEY (iteration, position)
    ) STRICT;

    CREATE TABLE frames (
      iteration INTEGER PRIMARY KEY REFERENCES iterations (key) ON DELETE CASCADE,
      frames INTEGER NOT NULL,
      data BLOB NOT NULL
    ) STRICT;

    """

  private static let profileTables = """
    CREATE TABLE functions (
      key INTEGER PRIMARY KEY,
      name TEXT NOT NULL,
      stable_name TEXT NOT NULL,
      module TEXT NOT NULL,
      file TEXT
    ) STRICT;
    CREATE INDEX functions_by_name ON functions (name);

    CREATE TABLE nodes (
      key INTEGER PRIMARY KEY,
      parent INTEGER REFERENCES nodes (key),
      function INTEGER NOT NULL REFERENCES functions (key),
      line INTEGER NOT NULL,
      is_inlined INTEGER NOT NULL,
      is_async INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX nodes_by_caller ON nodes (parent, function, line, is_inlined, is_async);
    CREATE INDEX nodes_by_function ON nodes (function);

    CREATE TABLE profiles (
      run INTEGER PRIMARY KEY REFERENCES runs (key) ON DELETE CASCADE,
      samples INTEGER NOT NULL,
      audit TEXT NOT NULL
    ) STRICT;

    CREATE TABLE profile_functions (
      run INTEGER NOT NULL REFERENCES profiles (run) ON DELETE CASCADE,
      position INTEGER NOT NULL,
      function INTEGER NOT NULL REFERENCES functions (key),
      PRIMARY KEY (run, position)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX profile_functions_by_function ON profile_functions (function);

    CREATE TABLE profile_nodes (
      run INTEGER NOT NULL REFERENCES profiles (run) ON DELETE CASCADE,
      position INTEGER NOT NULL,
      node INTEGER NOT NULL REFERENCES nodes (key),
      PRIMARY KEY (run, position)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX profile_nodes_by_node ON profile_nodes (node);

    CREATE TABLE profile_threads (
      run INTEGER NOT NULL REFERENCES profiles (run) ON DELETE CASCADE,
      position INTEGER NOT NULL,
      name TEXT NOT NULL,
      cpu_ns INTEGER NOT NULL,
      PRIMARY KEY (run, position)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE profile_phases (
      run INTEGER NOT NULL REFERENCES profiles (run) ON DELETE CASCADE,
      position INTEGER NOT NULL,
      name TEXT NOT NULL,
      PRIMARY KEY (run, position)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE profile_counts (
      run INTEGER NOT NULL REFERENCES profiles (run) ON DELETE CASCADE,
      position INTEGER NOT NULL,
      iteration INTEGER NOT NULL,
      node INTEGER NOT NULL,
      thread INTEGER NOT NULL,
      phase INTEGER NOT NULL,
      frame_class INTEGER NOT NULL,
      state INTEGER NOT NULL,
      samples INTEGER NOT NULL,
      weight_ns REAL NOT NULL,
      PRIMARY KEY (run, position)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE timelines (
      run INTEGER NOT NULL REFERENCES profiles (run) ON DELETE CASCADE,
      iteration INTEGER NOT NULL,
      samples INTEGER NOT NULL,
      data BLOB NOT NULL,
      PRIMARY KEY (run, iteration)
    ) STRICT;

    """

  private static let views = """
    CREATE VIEW measurements AS
    SELECT runs.id AS run, scenario, variant, label, commit_hash, started_ms,
      iterations.number AS iteration, is_warmup, status, metrics.name AS metric, value
    FROM runs
    JOIN iterations ON iterations.run = runs.key
    JOIN metric_values ON metric_values.iteration = iterations.key
    JOIN metrics ON metrics.key = metric_values.metric;

    CREATE VIEW stacks AS
    SELECT runs.id AS run, profile_counts.iteration, nodes.key AS node,
      functions.name AS function, functions.module, functions.file, nodes.line,
      profile_threads.name AS thread, profile_phases.name AS phase,
      CASE frame_class WHEN 0 THEN 'none' WHEN 1 THEN 'on time' WHEN 2 THEN 'missed' END
        AS frame_class,
      CASE profile_counts.state WHEN 0 THEN 'running' WHEN 1 THEN 'runnable'
        WHEN 2 THEN 'waiting' END AS state,
      profile_counts.samples, profile_counts.weight_ns
    FROM profile_counts
    JOIN runs ON runs.key = profile_counts.run
    JOIN profile_nodes ON profile_nodes.run = profile_counts.run
      AND profile_nodes.position = profile_counts.node
    JOIN nodes ON nodes.key = profile_nodes.node
    JOIN functions ON functions.key = nodes.function
    JOIN profile_threads ON profile_threads.run = profile_counts.run
      AND profile_threads.position = profile_counts.thread
    JOIN profile_phases ON profile_phases.run = profile_counts.run
      AND profile_phases.position = profile_counts.phase;
    """
}
