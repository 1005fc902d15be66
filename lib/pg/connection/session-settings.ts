import { idleInTransactionMs, usualStatementMs } from './limits.ts';

/** Adds `settings` for its sessions to the address. They are sent in the startup packet, so they cost no round trip. */
export function withSessionSettings(address: string, settings: readonly string[]): string {
  if (settings.length === 0) return address;
  const url = new URL(address);
  const given = url.searchParams.get('options');
  url.searchParams.delete('options');
  const added = settings.map((setting) => `-c ${setting}`);
  const options = given === null ? added : [given, ...added];
  const separator = url.search === '' ? '?' : '&';
  return `${url.href}${separator}options=${encodeURIComponent(options.join(' '))}`;
}

/** Settings with the limits of every session that works for a service. `statementMs` is the limit of one statement. */
export function limitSettings(statementMs = usualStatementMs): readonly string[] {
  return [
    ...timeLimits(statementMs),
    // The server ends the sessions of a replica that vanished, and with them its locks. It asks after 10 s, three times.
    'tcp_keepalives_idle=10',
    'tcp_keepalives_interval=5',
    'tcp_keepalives_count=3',
  ];
}

/** The part of `limitSettings` that one transaction may set for itself. */
export function timeLimits(statementMs = usualStatementMs): readonly string[] {
  return [`statement_timeout=${statementMs}`, `idle_in_transaction_session_timeout=${idleInTransactionMs}`];
}
