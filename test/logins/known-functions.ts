/**
 * Names of PostgreSQL's functions with effects that a login may call, by the reason why that harms nobody: regular expressions over `proname`. A function of a new
 * version of PostgreSQL is in none of them until somebody has looked at it.
 */
const reasons: Readonly<Record<string, string>> = {
  'only in the mode of pg_upgrade': '^binary_upgrade_',
  'cannot be called by SQL': '(handler|validator)$|^(system|bernoulli)$',
  'the own session, rows that it may read, or nothing but an answer':
    '^(clock_timestamp|timeofday|current_query|currtid2|set_config|setseed|random|random_normal|array_sample|array_shuffle|gen_random_uuid|uuidv[47]|ts_stat|ts_rewrite)$|^(query|cursor)_to_xml|^pg_stat_(clear_snapshot|force_next_flush)$|^amvalidate$|^pg_(export_snapshot|jit_available|partition_(tree|ancestors))$',
  'needs a right on the sequence, the index or the table':
    '^(currval|lastval|nextval|setval|gin_clean_pending_list|brin_(de)?summarize_\\w+)$|^pg_(clear|restore)_(attribute|relation)_stats$|^pg_(get_sequence_data|sequence_last_value)$',
  'a superuser, a role with replication, or a script of an extension alone':
    '^pg_(import_system_collations|nextoid|stop_making_pinned_objects|extension_config_dump|sync_replication_slots|replication_slot_advance)$|^pg_(copy|create)_(logical|physical)_replication_slot$|^pg_drop_replication_slot$|^pg_logical_slot_(get|peek)_(binary_)?changes$',
  'sessions of the same role': '^pg_(cancel|terminate)_backend$',
  'the own session, for as long as the limits of the login allow': '^pg_sleep(_for|_until)?$',
  'hints, which start a look and have no effect': '^pg_(notify|notification_queue_usage)$',
  'numbers of locks, transactions and positions, and sizes: see SECURITY.md':
    '^pg_(lock_status|prepared_xact|blocking_pids|safe_snapshot_blocking_pids|isolation_test_session_is_blocked|xact_status|xact_commit_timestamp(_origin)?|last_committed_xact|get_multixact_members|available_wal_summaries|wal_summary_contents)$|^txid_status$|^pg_(database|relation|table|indexes|total_relation|tablespace)_size$|^pg_current_wal_\\w+$|^pg_last_(wal|xact)_\\w+$|^pg_is_(in_recovery|wal_replay_paused)$|^pg_get_(wal_\\w+|wait_events|loaded_modules)$|^pg_control_(checkpoint|init|recovery|system)$|^pg_(database_)?collation_actual_version$',
};

const known = Object.values(reasons).map((pattern) => new RegExp(pattern));

export function isKnownFunction(name: string): boolean {
  return known.some((pattern) => pattern.test(name));
}
