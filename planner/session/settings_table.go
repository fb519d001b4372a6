package session

// Groups of settings, pg_settings.category.
const (
	groupConnect   = "Connections and Authentication / Connection Settings"
	groupAuth      = "Connections and Authentication / Authentication"
	groupLocale    = "Client Connection Defaults / Locale and Formatting"
	groupStatement = "Client Connection Defaults / Statement Behavior"
	groupClient    = "Client Connection Defaults / Other Defaults"
	groupLog       = "Reporting and Logging / What to Log"
	groupPreset    = "Preset Options"
	groupMemory    = "Resource Usage / Memory"
	groupAsync     = "Resource Usage / Asynchronous Behavior"
	groupMethod    = "Query Tuning / Planner Method Configuration"
	groupCost      = "Query Tuning / Planner Cost Constants"
	groupPlan      = "Query Tuning / Other Planner Options"
	groupCompat    = "Version and Platform Compatibility / Previous PostgreSQL Versions"
	groupStats     = "Statistics / Cumulative Query and Index Statistics"
	groupWAL       = "Write-Ahead Log / Settings"
	groupLocks     = "Lock Management"
	groupDev       = "Developer Options"
	groupVector    = "Customized Options"
	groupOMGDB     = "OMGDB"
)

const maxInt4 = 2147483647

const (
	isolationNames = "serializable,repeatable read,read committed,read uncommitted"
	levelNames     = "debug5,debug4,debug3,debug2,debug1,log,notice,warning,error"
)

// settings is the table of all configuration parameters. Those that steer something of OMGDB have an effect through live.apply
// or are read by name; the others are accepted, checked and shown because clients set and read them, and change nothing here
// (each such description says so).
var settings = []setting{
	// What clients see of values.
	{name: "DateStyle", def: "ISO, MDY", kind: kindString, report: true, group: groupLocale, check: checkDateStyle, descr: "How dates and times are written, and how ambiguous ones are read."},
	{name: "IntervalStyle", def: "postgres", kind: kindEnum, enum: "postgres,postgres_verbose,sql_standard,iso_8601", report: true, group: groupLocale, descr: "How intervals are written."},
	{name: "TimeZone", def: "UTC", kind: kindString, report: true, group: groupLocale, check: checkTimeZone, descr: "Time zone in which times are read and written."},
	{name: "bytea_output", def: "hex", kind: kindEnum, enum: "escape,hex", group: groupStatement, descr: "How bytea is written."},
	{name: "client_encoding", def: "UTF8", kind: kindString, report: true, group: groupLocale, check: checkEncoding, descr: "Encoding of the client's text; UTF8 is the only one."},
	{name: "extra_float_digits", def: "1", kind: kindInt, min: -15, max: 3, group: groupLocale, descr: "Digits of floating-point output: above 0 the shortest exact form."},
	{name: "lc_collate", def: "C.UTF-8", kind: kindString, ctx: ctxInternal, group: groupPreset, descr: "Order of text."},
	{name: "lc_ctype", def: "C.UTF-8", kind: kindString, ctx: ctxInternal, group: groupPreset, descr: "Classes of characters."},
	{name: "lc_messages", def: "C.UTF-8", kind: kindString, ctx: ctxSuper, group: groupLocale, descr: "Language of messages; always English."},
	{name: "lc_monetary", def: "C.UTF-8", kind: kindString, group: groupLocale, descr: "Locale of money; without effect."},
	{name: "lc_numeric", def: "C.UTF-8", kind: kindString, group: groupLocale, descr: "Locale of to_char numbers; always C."},
	{name: "lc_time", def: "C.UTF-8", kind: kindString, group: groupLocale, descr: "Locale of to_char dates; always C."},
	{name: "default_text_search_config", def: "pg_catalog.english", kind: kindString, group: groupLocale, descr: "Text search configuration used when a function names none."},
	{name: "timezone_abbreviations", def: "Default", kind: kindString, group: groupLocale, descr: "Set of time zone abbreviations; always Default."},
	{name: "xmlbinary", def: "base64", kind: kindEnum, enum: "base64,hex", group: groupStatement, descr: "How bytea is written into XML; without effect."},
	{name: "xmloption", def: "content", kind: kindEnum, enum: "content,document", group: groupStatement, descr: "Whether XML input is a document or content; without effect."},
	{name: "array_nulls", def: "on", kind: kindBool, group: groupCompat, descr: "NULL in array input means a null element; always on."},
	{name: "quote_all_identifiers", def: "off", kind: kindBool, group: groupCompat, descr: "Quote all names when SQL is generated."},

	// Names and schemas.
	{name: "search_path", def: `"$user", public`, kind: kindString, list: true, group: groupStatement, check: checkSearchPath, descr: "Schemas searched for names without one."},
	{name: "default_table_access_method", def: "heap", kind: kindString, group: groupStatement, descr: "What CREATE TABLE makes when it names no access method: heap, or collection for tables without columns."},
	{name: "default_tablespace", def: "", kind: kindString, group: groupStatement, descr: "Tablespace of new tables; there are none."},
	{name: "temp_tablespaces", def: "", kind: kindString, list: true, group: groupStatement, descr: "Tablespaces of temporary tables; there are none."},
	{name: "check_function_bodies", def: "on", kind: kindBool, group: groupStatement, descr: "Check functions when they are created."},
	{name: "row_security", def: "on", kind: kindBool, group: groupStatement, descr: "Apply row policies; off makes a query that needs them fail."},

	// The session and its statements.
	{name: "application_name", def: "", kind: kindString, report: true, group: groupLog, check: checkPrintable, descr: "Name of the client, shown in pg_stat_activity and kept in the op-log."},
	{name: "client_min_messages", def: "notice", kind: kindEnum, enum: levelNames, group: groupStatement, descr: "Least severe messages sent to the client."},
	{name: "statement_timeout", def: "0", kind: kindInt, unit: "ms", max: maxInt4, group: groupStatement, descr: "A statement that runs longer is cancelled; 0 means never."},
	{name: "lock_timeout", def: "0", kind: kindInt, unit: "ms", max: maxInt4, group: groupStatement, descr: "A statement that waits longer for a lock fails; 0 means never."},
	{name: "idle_in_transaction_session_timeout", def: "0", kind: kindInt, unit: "ms", max: maxInt4, group: groupStatement, descr: "A session idle in a transaction for longer is ended; 0 means never."},
	{name: "idle_session_timeout", def: "0", kind: kindInt, unit: "ms", max: maxInt4, group: groupStatement, descr: "A session idle outside a transaction for longer is ended; 0 means never."},
	{name: "client_connection_check_interval", def: "0", kind: kindInt, unit: "ms", max: maxInt4, group: groupConnect, descr: "How often a running query looks whether its client is still there; without effect."},
	{name: "session_replication_role", def: "origin", kind: kindEnum, enum: "origin,replica,local", ctx: ctxSuper, group: groupStatement, descr: "Which triggers fire; without effect."},
	{name: "exit_on_error", def: "off", kind: kindBool, group: groupClient, descr: "End the session at the first error; without effect."},
	{name: "tcp_keepalives_idle", def: "0", kind: kindInt, unit: "s", max: maxInt4, group: groupConnect, descr: "Idle time before a TCP probe; the system's."},
	{name: "tcp_keepalives_interval", def: "0", kind: kindInt, unit: "s", max: maxInt4, group: groupConnect, descr: "Time between TCP probes; the system's."},
	{name: "tcp_keepalives_count", def: "0", kind: kindInt, max: maxInt4, group: groupConnect, descr: "Lost TCP probes that end a connection; the system's."},
	{name: "tcp_user_timeout", def: "0", kind: kindInt, unit: "ms", max: maxInt4, group: groupConnect, descr: "Time that unacknowledged data may take; the system's."},

	// Transactions.
	{name: "default_transaction_isolation", def: "read committed", kind: kindEnum, enum: isolationNames, group: groupStatement, descr: "Isolation of new transactions."},
	{name: "default_transaction_read_only", def: "off", kind: kindBool, report: true, group: groupStatement, descr: "New transactions are read-only."},
	{name: "default_transaction_deferrable", def: "off", kind: kindBool, group: groupStatement, descr: "New transactions are deferrable."},
	{name: "transaction_isolation", def: "read committed", kind: kindEnum, enum: isolationNames, group: groupStatement, inTxn: checkIsolation, descr: "Isolation of the current transaction."},
	{name: "transaction_read_only", def: "off", kind: kindBool, group: groupStatement, inTxn: checkReadOnly, descr: "The current transaction is read-only."},
	{name: "transaction_deferrable", def: "off", kind: kindBool, group: groupStatement, inTxn: checkDeferrable, descr: "The current transaction waits for a safe snapshot."},
	{name: "synchronous_commit", def: "on", kind: kindEnum, enum: "local,remote_write,remote_apply,on,off", group: groupWAL, descr: "Commits wait for the disk; always on."},
	{name: "deadlock_timeout", def: "1s", kind: kindInt, unit: "ms", min: 1, max: maxInt4, ctx: ctxSuper, group: groupLocks, descr: "Wait before a deadlock is looked for; without effect, deadlocks are found at once."},
	{name: "in_hot_standby", def: "off", kind: kindBool, ctx: ctxInternal, report: true, group: groupPreset, descr: "Whether this is a replica."},

	// Resources.
	{name: "work_mem", def: "4MB", kind: kindInt, unit: "kB", min: 64, max: maxInt4, group: groupMemory, descr: "Memory of one sort or hash table before it spills to disk."},
	{name: "maintenance_work_mem", def: "64MB", kind: kindInt, unit: "kB", min: 1024, max: maxInt4, group: groupMemory, descr: "Memory of an index build."},
	{name: "temp_buffers", def: "8MB", kind: kindInt, unit: "8kB", min: 100, max: maxInt4 / 2, group: groupMemory, descr: "Buffers of temporary tables; without effect."},
	{name: "hash_mem_multiplier", def: "2", kind: kindReal, min: 1, max: 1000, group: groupMemory, descr: "Hash tables may take this many times work_mem."},
	{name: "shared_buffers", def: "128MB", kind: kindInt, unit: "8kB", min: 16, max: maxInt4 / 2, ctx: ctxPostmaster, group: groupMemory, descr: "Shared buffers; without effect, pages are mapped."},
	{name: "temp_file_limit", def: "-1", kind: kindInt, unit: "kB", min: -1, max: maxInt4, ctx: ctxSuper, group: groupMemory, descr: "Disk space of a session's spill files; -1 means no limit."},
	{name: "effective_io_concurrency", def: "1", kind: kindInt, max: 1000, group: groupAsync, descr: "Expected simultaneous disk reads; without effect."},
	{name: "maintenance_io_concurrency", def: "10", kind: kindInt, max: 1000, group: groupAsync, descr: "Expected simultaneous disk reads of maintenance; without effect."},
	{name: "max_parallel_workers", def: "8", kind: kindInt, max: 1024, group: groupAsync, descr: "Parallel workers of the server; without effect."},
	{name: "max_parallel_workers_per_gather", def: "2", kind: kindInt, max: 1024, group: groupAsync, descr: "Cores that one query may use besides its own; 0 keeps queries on one."},
	{name: "max_parallel_maintenance_workers", def: "2", kind: kindInt, max: 1024, group: groupAsync, descr: "Cores that an index build may use; without effect."},
	{name: "max_stack_depth", def: "2MB", kind: kindInt, unit: "kB", min: 100, max: maxInt4, ctx: ctxSuper, group: groupMemory, descr: "Depth of the stack; nesting has limits of its own here."},

	// The planner. Costs are PostgreSQL's and without effect; the methods can be switched off.
	{name: "enable_seqscan", def: "on", kind: kindBool, plan: true, group: groupMethod, descr: "Allow full scans where an index would do."},
	{name: "enable_indexscan", def: "on", kind: kindBool, plan: true, group: groupMethod, descr: "Allow index scans."},
	{name: "enable_indexonlyscan", def: "on", kind: kindBool, plan: true, group: groupMethod, descr: "Allow index-only scans."},
	{name: "enable_bitmapscan", def: "on", kind: kindBool, plan: true, group: groupMethod, descr: "Allow bitmap scans."},
	{name: "enable_hashjoin", def: "on", kind: kindBool, plan: true, group: groupMethod, descr: "Allow hash joins."},
	{name: "enable_mergejoin", def: "on", kind: kindBool, plan: true, group: groupMethod, descr: "Allow merge joins."},
	{name: "enable_nestloop", def: "on", kind: kindBool, plan: true, group: groupMethod, descr: "Allow nested loops where another join would do."},
	{name: "enable_hashagg", def: "on", kind: kindBool, plan: true, group: groupMethod, descr: "Allow hashed aggregation."},
	{name: "enable_sort", def: "on", kind: kindBool, plan: true, group: groupMethod, descr: "Allow explicit sorts."},
	{name: "enable_incremental_sort", def: "on", kind: kindBool, plan: true, group: groupMethod, descr: "Allow sorts of input that is sorted in part."},
	{name: "enable_material", def: "on", kind: kindBool, plan: true, group: groupMethod, descr: "Allow kept results."},
	{name: "enable_memoize", def: "on", kind: kindBool, plan: true, group: groupMethod, descr: "Allow kept results of nested loops."},
	{name: "enable_tidscan", def: "on", kind: kindBool, plan: true, group: groupMethod, descr: "Allow scans by ctid."},
	{name: "enable_gathermerge", def: "on", kind: kindBool, plan: true, group: groupMethod, descr: "Allow ordered parallel scans."},
	{name: "enable_parallel_append", def: "on", kind: kindBool, plan: true, group: groupMethod, descr: "Allow parallel appends; without effect."},
	{name: "enable_parallel_hash", def: "on", kind: kindBool, plan: true, group: groupMethod, descr: "Allow parallel hash joins; without effect."},
	{name: "enable_partition_pruning", def: "on", kind: kindBool, plan: true, group: groupMethod, descr: "Skip partitions; without effect."},
	{name: "enable_partitionwise_join", def: "off", kind: kindBool, plan: true, group: groupMethod, descr: "Join partitions one by one; without effect."},
	{name: "enable_partitionwise_aggregate", def: "off", kind: kindBool, plan: true, group: groupMethod, descr: "Aggregate partitions one by one; without effect."},
	{name: "enable_async_append", def: "on", kind: kindBool, plan: true, group: groupMethod, descr: "Allow asynchronous appends; without effect."},
	{name: "seq_page_cost", def: "1", kind: kindReal, max: maxReal, group: groupCost, descr: "Cost of a page read in order; without effect."},
	{name: "random_page_cost", def: "4", kind: kindReal, max: maxReal, group: groupCost, descr: "Cost of a page read anywhere; without effect."},
	{name: "cpu_tuple_cost", def: "0.01", kind: kindReal, max: maxReal, group: groupCost, descr: "Cost of a row; without effect."},
	{name: "cpu_index_tuple_cost", def: "0.005", kind: kindReal, max: maxReal, group: groupCost, descr: "Cost of an index entry; without effect."},
	{name: "cpu_operator_cost", def: "0.0025", kind: kindReal, max: maxReal, group: groupCost, descr: "Cost of an operator; without effect."},
	{name: "parallel_setup_cost", def: "1000", kind: kindReal, max: maxReal, group: groupCost, descr: "Cost of starting workers; without effect."},
	{name: "parallel_tuple_cost", def: "0.1", kind: kindReal, max: maxReal, group: groupCost, descr: "Cost of a row passed between workers; without effect."},
	{name: "effective_cache_size", def: "4GB", kind: kindInt, unit: "8kB", min: 1, max: maxInt4, group: groupCost, descr: "Expected size of the file cache; without effect."},
	{name: "min_parallel_table_scan_size", def: "8MB", kind: kindInt, unit: "8kB", max: 715827882, group: groupCost, descr: "Smallest table scanned in parallel; without effect."},
	{name: "min_parallel_index_scan_size", def: "512kB", kind: kindInt, unit: "8kB", max: 715827882, group: groupCost, descr: "Smallest index scanned in parallel; without effect."},
	{name: "jit", def: "off", kind: kindBool, group: groupPlan, descr: "Compile queries; without effect."},
	{name: "jit_above_cost", def: "100000", kind: kindReal, min: -1, max: maxReal, group: groupCost, descr: "Cost from which queries are compiled; without effect."},
	{name: "plan_cache_mode", def: "auto", kind: kindEnum, enum: "auto,force_generic_plan,force_custom_plan", group: groupPlan, descr: "Whether prepared statements are planned once or for each execution; plans are generic."},
	{name: "constraint_exclusion", def: "partition", kind: kindEnum, enum: "partition,on,off", plan: true, group: groupPlan, descr: "Use check constraints for planning; without effect."},
	{name: "cursor_tuple_fraction", def: "0.1", kind: kindReal, max: 1, group: groupPlan, descr: "Part of a cursor's rows that is expected to be read; without effect."},
	{name: "default_statistics_target", def: "100", kind: kindInt, min: 1, max: 10000, group: groupPlan, descr: "Detail of ANALYZE."},
	{name: "from_collapse_limit", def: "8", kind: kindInt, min: 1, max: maxInt4, plan: true, group: groupPlan, descr: "Tables up to which subqueries are merged; without effect."},
	{name: "join_collapse_limit", def: "8", kind: kindInt, min: 1, max: maxInt4, plan: true, group: groupPlan, descr: "Joins up to which their order is searched."},
	{name: "geqo", def: "on", kind: kindBool, group: groupPlan, descr: "Genetic search of join orders; without effect."},
	{name: "geqo_threshold", def: "12", kind: kindInt, min: 2, max: maxInt4, group: groupPlan, descr: "Tables from which geqo is used; without effect."},
	{name: "force_parallel_mode", def: "off", kind: kindEnum, enum: "off,on,regress", group: groupDev, descr: "Run everything in parallel; without effect."},

	// Compatibility with older clients.
	{name: "standard_conforming_strings", def: "on", kind: kindBool, report: true, group: groupCompat, check: checkOnlyOn, descr: "Backslashes are ordinary characters in '…'; always on."},
	{name: "escape_string_warning", def: "on", kind: kindBool, group: groupCompat, descr: "Warn of backslashes in '…'; without effect."},
	{name: "backslash_quote", def: "safe_encoding", kind: kindEnum, enum: "safe_encoding,on,off", group: groupCompat, descr: `Whether \' is allowed in E'…'; without effect.`},
	{name: "synchronize_seqscans", def: "on", kind: kindBool, group: groupCompat, descr: "Share full scans; without effect."},
	{name: "transform_null_equals", def: "off", kind: kindBool, group: groupCompat, descr: "Read x = NULL as x IS NULL; without effect."},
	{name: "lo_compat_privileges", def: "off", kind: kindBool, ctx: ctxSuper, group: groupCompat, descr: "Rights of large objects; there are none."},
	{name: "password_encryption", def: "scram-sha-256", kind: kindEnum, enum: "scram-sha-256", group: groupAuth, descr: "How passwords are kept."},

	// Maintenance and logging, for scripts and tools that set them.
	{name: "vacuum_cost_delay", def: "0", kind: kindReal, unit: "ms", max: 100, group: groupAsync, descr: "Pauses of VACUUM; without effect."},
	{name: "vacuum_freeze_min_age", def: "50000000", kind: kindInt, max: 1000000000, group: groupStatement, descr: "Age of rows to freeze; without effect."},
	{name: "gin_fuzzy_search_limit", def: "0", kind: kindInt, max: maxInt4, group: groupClient, descr: "Soft limit of GIN results; without effect."},
	{name: "log_statement", def: "none", kind: kindEnum, enum: "none,ddl,mod,all", ctx: ctxSuper, group: groupLog, descr: "Statements to log."},
	{name: "log_min_messages", def: "warning", kind: kindEnum, enum: "debug5,debug4,debug3,debug2,debug1,info,notice,warning,error,log,fatal,panic", ctx: ctxSuper, group: groupLog, descr: "Least severe messages to log; without effect."},
	{name: "log_min_duration_statement", def: "-1", kind: kindInt, unit: "ms", min: -1, max: maxInt4, ctx: ctxSuper, group: groupLog, descr: "Statements that take longer are logged; -1 means none."},
	{name: "log_duration", def: "off", kind: kindBool, ctx: ctxSuper, group: groupLog, descr: "Log how long statements take; without effect."},
	{name: "log_error_verbosity", def: "default", kind: kindEnum, enum: "terse,default,verbose", ctx: ctxSuper, group: groupLog, descr: "Detail of logged errors; without effect."},
	{name: "track_activities", def: "on", kind: kindBool, ctx: ctxSuper, group: groupStats, descr: "Show what sessions run; always on."},
	{name: "track_counts", def: "on", kind: kindBool, ctx: ctxSuper, group: groupStats, descr: "Count what happens to tables; without effect."},
	{name: "track_io_timing", def: "off", kind: kindBool, ctx: ctxSuper, group: groupStats, descr: "Time reads; without effect."},
	{name: "track_functions", def: "none", kind: kindEnum, enum: "none,pl,all", ctx: ctxSuper, group: groupStats, descr: "Count function calls; without effect."},
	{name: "compute_query_id", def: "auto", kind: kindEnum, enum: "auto,regress,on,off", ctx: ctxSuper, group: groupStats, descr: "Compute query ids; without effect."},
	{name: "allow_system_table_mods", def: "off", kind: kindBool, ctx: ctxSuper, group: groupDev, descr: "Allow changes of system tables; there is nothing to change."},

	// What the server is.
	{name: "server_version", def: serverVersion, kind: kindString, ctx: ctxInternal, report: true, group: groupPreset, descr: "Version of PostgreSQL whose behaviour is offered."},
	{name: "server_version_num", def: serverVersionNum, kind: kindInt, max: maxInt4, ctx: ctxInternal, group: groupPreset, descr: "server_version as a number."},
	{name: "server_encoding", def: "UTF8", kind: kindString, ctx: ctxInternal, report: true, group: groupPreset, descr: "Encoding of stored text."},
	{name: "integer_datetimes", def: "on", kind: kindBool, ctx: ctxInternal, report: true, group: groupPreset, descr: "Times are 64-bit integers."},
	{name: "is_superuser", def: "on", kind: kindBool, ctx: ctxInternal, report: true, hidden: true, group: groupPreset, descr: "Whether the current role is a superuser."},
	{name: "session_authorization", def: "", kind: kindString, ctx: ctxInternal, report: true, hidden: true, group: groupPreset, descr: "Role of the session."},
	{name: "block_size", def: "8192", kind: kindInt, min: 8192, max: 8192, ctx: ctxInternal, group: groupPreset, descr: "Size of a page in PostgreSQL's sense."},
	{name: "max_identifier_length", def: "63", kind: kindInt, min: 63, max: 63, ctx: ctxInternal, group: groupPreset, descr: "Longest name in bytes."},
	{name: "max_index_keys", def: "32", kind: kindInt, min: 32, max: 32, ctx: ctxInternal, group: groupPreset, descr: "Most columns of an index."},
	{name: "max_function_args", def: "100", kind: kindInt, min: 100, max: 100, ctx: ctxInternal, group: groupPreset, descr: "Most arguments of a function."},
	{name: "data_checksums", def: "off", kind: kindBool, ctx: ctxInternal, group: groupPreset, descr: "Page checksums; the op-log's hash chain does that work, see omgdb.verify()."},
	{name: "data_directory", def: "", kind: kindString, ctx: ctxPostmaster, group: groupPreset, descr: "Directory of the store."},
	{name: "listen_addresses", def: "127.0.0.1", kind: kindString, ctx: ctxPostmaster, group: groupConnect, descr: "Addresses that the server listens on."},
	{name: "port", def: "5433", kind: kindInt, min: 1, max: 65535, ctx: ctxPostmaster, group: groupConnect, descr: "Port that the server listens on."},
	{name: "unix_socket_directories", def: "", kind: kindString, ctx: ctxPostmaster, group: groupConnect, descr: "Directory of the unix socket."},
	{name: "max_connections", def: "100", kind: kindInt, min: 1, max: 262143, ctx: ctxPostmaster, group: groupConnect, descr: "Most sessions at a time."},
	{name: "superuser_reserved_connections", def: "3", kind: kindInt, max: 262143, ctx: ctxPostmaster, group: groupConnect, descr: "Sessions kept free for superusers."},
	{name: "authentication_timeout", def: "1min", kind: kindInt, unit: "s", min: 1, max: 600, ctx: ctxSighup, group: groupAuth, descr: "Time that a client has for its start-up."},
	{name: "max_prepared_transactions", def: "0", kind: kindInt, max: 262143, ctx: ctxPostmaster, group: groupMemory, descr: "Two-phase transactions; there are none."},
	{name: "max_locks_per_transaction", def: "64", kind: kindInt, min: 10, max: maxInt4, ctx: ctxPostmaster, group: groupLocks, descr: "Without effect: row locks escalate above 100,000 rows."},
	{name: "ssl", def: "off", kind: kindBool, ctx: ctxSighup, group: groupConnect, descr: "Connections may be encrypted."},
	{name: "fsync", def: "on", kind: kindBool, ctx: ctxSighup, group: groupWAL, descr: "Commits reach the disk; always on."},
	{name: "full_page_writes", def: "on", kind: kindBool, ctx: ctxSighup, group: groupWAL, descr: "Without effect: pages are copied on write."},
	{name: "wal_level", def: "replica", kind: kindEnum, enum: "minimal,replica,logical", ctx: ctxPostmaster, group: groupWAL, descr: "Without effect."},
	{name: "autovacuum", def: "on", kind: kindBool, ctx: ctxSighup, group: groupStats, descr: "Background clean-up; always on."},
	{name: "cluster_name", def: "", kind: kindString, ctx: ctxPostmaster, group: groupLog, descr: "Name of this server."},

	// OMGDB's own.
	{name: "omgdb.scope", def: "admin", kind: kindEnum, enum: "read,write,admin", ctx: ctxBackend, group: groupOMGDB, descr: "What the session may do: read only, also write documents, or everything. Fixed at the start of the session."},
	{name: "omgdb.agent_plan", def: "", kind: kindString, group: groupOMGDB, descr: "Name of the plan that an agent works on, kept in the op-log with each commit."},
	{name: "omgdb.embedder", def: "hashing", kind: kindString, group: groupOMGDB, descr: "Embedder of functions that name none and have no default of their own."},
	{name: "omgdb.query_memory", def: "1GB", kind: kindInt, unit: "kB", min: 1024, max: maxInt4, group: groupOMGDB, descr: "Memory of one query; a query that needs more fails."},
	{name: "omgdb.max_message_size", def: "256MB", kind: kindInt, unit: "kB", min: 64, max: 1048575, ctx: ctxPostmaster, group: groupOMGDB, descr: "Longest message that a client may send."},
	{name: "omgdb.plan_cache_size", def: "32MB", kind: kindInt, unit: "kB", min: 0, max: maxInt4, ctx: ctxPostmaster, group: groupOMGDB, descr: "Memory of the shared plan cache."},
	// pgvector's. A search through an index gives all rows asked for at the recall of omgdb.vector_recall; ef_search above its default raises it.
	{name: "hnsw.ef_search", def: "40", kind: kindInt, min: 1, max: 1000, group: groupVector, descr: "Effort of a search through an hnsw index: above 40 the recall aimed at rises, to 1 at 1000."},
	{name: "hnsw.iterative_scan", def: "off", kind: kindEnum, enum: "off,relaxed_order,strict_order", group: groupVector, descr: "Whether filtered searches go on until they have enough rows; they always do, in strict order."},
	{name: "hnsw.max_scan_tuples", def: "20000", kind: kindInt, min: 1, max: maxInt4, group: groupVector, descr: "Rows that an iterative scan visits; without effect."},
	{name: "hnsw.scan_mem_multiplier", def: "1", kind: kindReal, min: 1, max: 1000, group: groupVector, descr: "Memory of an iterative scan; without effect."},
	{name: "ivfflat.probes", def: "1", kind: kindInt, min: 1, max: 32768, group: groupVector, descr: "Lists that a search through an ivfflat index visits; without effect, as there are no lists."},
	{name: "ivfflat.iterative_scan", def: "off", kind: kindEnum, enum: "off,relaxed_order", group: groupVector, descr: "Whether filtered searches go on until they have enough rows; they always do, in strict order."},
	{name: "ivfflat.max_probes", def: "32768", kind: kindInt, min: 1, max: 32768, group: groupVector, descr: "Most lists that an iterative scan visits; without effect."},
	{name: "omgdb.vector_recall", def: "0.99", kind: kindReal, min: 0.5, max: 1, group: groupOMGDB, descr: "Share of the true nearest rows that a search through a vector index aims at; 1 is exact."},
	{name: "omgdb.version", def: "", kind: kindString, ctx: ctxInternal, group: groupOMGDB, descr: "Version of OMGDB."},
}

const maxReal = 1.79769e+308

// The PostgreSQL version whose behaviour is offered.
const (
	serverVersion    = "15.8"
	serverVersionNum = "150008"
)

// reported lists the settings whose changes a client is told, in the order of the start-up messages.
var reported = []string{
	"application_name", "client_encoding", "DateStyle", "default_transaction_read_only", "in_hot_standby", "integer_datetimes",
	"IntervalStyle", "is_superuser", "server_encoding", "server_version", "session_authorization", "standard_conforming_strings", "TimeZone",
}
