import type { Database } from '@agentmesh/lib/pg';
import { createEnvelopes, createLocalWrapper, type Envelopes, purposes, type RootKeys } from './encryption/index.ts';
import { type EnvelopeColumn, type EnvelopeQueries, type EnvelopeRow, envelopeQueries } from './store/envelopes.ts';

/** Every column that holds envelopes. */
const columns: readonly (EnvelopeColumn & { readonly purpose: string })[] = [
  { table: 'saved_keys', column: 'secret', purpose: purposes.savedKeys },
  { table: 'integrations', column: 'refresh_token', purpose: purposes.integrations },
  { table: 'integrations', column: 'access_token', purpose: purposes.integrations },
];

const batch = 100;
const beforeAll = { afterAccount: '00000000-0000-0000-0000-000000000000', afterId: -1n };

export interface Reencryption {
  readonly db: Database;
  readonly roots: RootKeys;
  /** Takes lines about the progress. */
  readonly print: (line: string) => void;
}

interface Progress {
  done: number;
  unreadable: number;
}

/**
 * Encrypts everything that is stored under a former key again, under the current one, with new data keys. It may run beside the services,
 * more than once at a time, and again after it was ended: it takes only the values that are not under the current key
 * yet. A value that changes while it runs keeps the change. A value that no key opens stays as it is and is counted.
 */
export async function reencrypt({ db, roots, print }: Reencryption): Promise<void> {
  const total: Progress = { done: 0, unreadable: 0 };
  for (const place of columns) {
    const envelopes = createEnvelopes(createLocalWrapper(roots, place.purpose));
    const queries = envelopeQueries(place);
    const [outdated] = await queries.count(db, { prefix: envelopes.currentPrefix });
    const name = `${place.table}.${place.column}`;
    print(`${name}: ${outdated?.number ?? 0n} to encrypt again`);
    const progress = await reencryptColumn(db, { envelopes, queries, place }, ({ done, unreadable }) =>
      print(`${name}: ${done + unreadable} of ${outdated?.number ?? 0n}`),
    );
    total.done += progress.done;
    total.unreadable += progress.unreadable;
  }
  print(`encrypted again: ${total.done}; cannot be opened, must be entered again: ${total.unreadable}`);
}

interface Column {
  readonly envelopes: Envelopes;
  readonly queries: EnvelopeQueries;
  readonly place: EnvelopeColumn;
}

async function reencryptColumn(db: Database, column: Column, tell: (progress: Progress) => void): Promise<Progress> {
  const progress: Progress = { done: 0, unreadable: 0 };
  let after = beforeAll;
  for (;;) {
    const page = { ...after, prefix: column.envelopes.currentPrefix, limit: batch };
    const rows = await column.queries.select(db, page);
    for (const row of rows) progress[await reencryptRow(db, column, row)] += 1;
    const last = rows.at(-1);
    if (last === undefined) return progress;
    tell(progress);
    after = { afterAccount: last.account_id, afterId: last.id };
  }
}

async function reencryptRow(db: Database, column: Column, row: EnvelopeRow): Promise<keyof Progress> {
  const { account_id: accountId, id, envelope: from } = row;
  const place = { table: column.place.table, column: column.place.column, row: String(id), owner: accountId };
  const plain = await column.envelopes.open(from, place);
  if (plain === undefined) return 'unreadable';
  await column.queries.replace(db, { accountId, id, from, to: await column.envelopes.seal(plain, place) });
  return 'done';
}
