extension Schema {
  /// The tables of profiles, and the symbols that were looked up.
  ///
  /// Functions and nodes are shared by all runs of the store.
  static let profileTables = """
    CREATE TABLE functions (
      key INTEGER PRIMARY KEY,
      name TEXT NOT NULL,
      stable_name TEXT NOT NULL,
      signature TEXT,
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

    CREATE TABLE profile_signposts (
      run INTEGER NOT NULL REFERENCES profiles (run) ON DELETE CASCADE,
      position INTEGER NOT NULL,
      name TEXT NOT NULL,
      PRIMARY KEY (run, position)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE profile_modules (
      run INTEGER NOT NULL REFERENCES profiles (run) ON DELETE CASCADE,
      position INTEGER NOT NULL,
      name TEXT NOT NULL,
      path TEXT NOT NULL,
      build_id TEXT NOT NULL,
      PRIMARY KEY (run, position)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE profile_counts (
      run INTEGER NOT NULL REFERENCES profiles (run) ON DELETE CASCADE,
      position INTEGER NOT NULL,
      iteration INTEGER NOT NULL,
      node INTEGER NOT NULL,
      thread INTEGER NOT NULL,
      phase INTEGER NOT NULL,
      signpost INTEGER NOT NULL,
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

    CREATE TABLE module_symbols (
      key INTEGER PRIMARY KEY,
      build_id TEXT NOT NULL UNIQUE,
      payload BLOB NOT NULL
    ) STRICT;

    CREATE VIEW stacks AS
    SELECT runs.id AS run, profile_counts.iteration, nodes.key AS node,
      functions.name AS function, functions.module, functions.file, nodes.line,
      profile_threads.name AS thread, profile_phases.name AS phase,
      profile_signposts.name AS signpost,
      CASE frame_class WHEN 0 THEN 'none' WHEN 1 THEN 'on time' WHEN 2 THEN 'missed' END
        AS frame_class,
      CASE profile_counts.state WHEN 0 THEN 'running' WHEN 1 THEN 'runnable'
        WHEN 2 THEN 'waiting' WHEN 3 THEN 'allocated' WHEN 4 THEN 'live_peak'
        WHEN 5 THEN 'live_end' WHEN 6 THEN 'suspended' WHEN 7 THEN 'allocations' END AS state,
      profile_counts.samples,
      CASE WHEN profile_counts.state NOT IN (3, 4, 5, 7) THEN profile_counts.weight_ns END
        AS weight_ns,
      CASE WHEN profile_counts.state IN (3, 4, 5) THEN profile_counts.weight_ns END
        AS weight_bytes,
      CASE profile_counts.state WHEN 7 THEN profile_counts.weight_ns END AS weight_count
    FROM profile_counts
    JOIN runs ON runs.key = profile_counts.run
    JOIN profile_nodes ON profile_nodes.run = profile_counts.run
      AND profile_nodes.position = profile_counts.node
    JOIN nodes ON nodes.key = profile_nodes.node
    JOIN functions ON functions.key = nodes.function
    JOIN profile_threads ON profile_threads.run = profile_counts.run
      AND profile_threads.position = profile_counts.thread
    JOIN profile_phases ON profile_phases.run = profile_counts.run
      AND profile_phases.position = profile_counts.phase
    JOIN profile_signposts ON profile_signposts.run = profile_counts.run
      AND profile_signposts.position = profile_counts.signpost;
    """
}
