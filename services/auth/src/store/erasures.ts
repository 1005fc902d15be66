import type { Queryable, Transaction } from '@agentmesh/lib/pg';

export type Counts = Readonly<Record<string, number>>;

export interface NewErasure {
  readonly accountId: string;
  readonly receiptHash: Buffer;
  /** How many rows of each kind auth itself has erased. */
  readonly own: Counts;
  /** The other services that will erase something. */
  readonly services: readonly string[];
}

const firstPauseSeconds = 2;

export async function insertErasure(
  tx: Transaction,
  { accountId, receiptHash, own, services }: NewErasure,
): Promise<void> {
  const erasure = `insert into erasures (account_id, receipt_hash, due_at)
    values ($1, $2, now() + make_interval(secs => ${firstPauseSeconds}))`;
  await tx.query({ text: erasure }, [accountId, receiptHash]);
  const parts = `insert into erasure_parts (account_id, service, erased_at, counts)
    select $1::uuid, 'auth', now(), $2::jsonb union all select $1::uuid, s, null::timestamptz, '{}'::jsonb from unnest($3::text[]) s`;
  await tx.query({ text: parts }, [accountId, JSON.stringify(own), services]);
}

/** Stores the totals that a service has erased. True when all services have confirmed now. */
export async function confirmErasure(
  tx: Transaction,
  { accountId, service, counts }: { readonly accountId: string; readonly service: string; readonly counts: Counts },
): Promise<boolean> {
  // The lock puts confirmations of one erasure in order, so exactly one of them is the last.
  await tx.query({ text: 'select from erasures where account_id = $1 for update' }, [accountId]);
  const part = `update erasure_parts set erased_at = coalesce(erased_at, now()), counts = $3
    where account_id = $1 and service = $2`;
  await tx.query({ text: part }, [accountId, service, JSON.stringify(counts)]);
  const whole = `update erasures set completed_at = now() where account_id = $1 and completed_at is null
    and not exists (select from erasure_parts where account_id = $1 and erased_at is null) returning account_id`;
  return (await tx.query({ text: whole }, [accountId])).length > 0;
}

/**
 * Takes the erasures that services must be asked about now, and sets when they are due again: the n-th time in `pauses[n]` seconds. After
 * the last pause a completed erasure is not due any more; one that is not complete is due again after each last pause.
 */
export async function takeDueErasures(tx: Transaction, pauses: readonly number[]): Promise<string[]> {
  const rows = await tx.query<{ account_id: string }>(
    {
      name: 'take-due-erasures',
      text: `update erasures set asked = asked + 1, due_at = case
          when asked <= cardinality($1::integer[]) then now() + make_interval(secs => ($1::integer[])[asked])
          when completed_at is null then now() + make_interval(secs => ($1::integer[])[cardinality($1::integer[])]) end
        where account_id in (
          select account_id from erasures where due_at <= now() order by due_at limit 100 for update skip locked)
        returning account_id`,
    },
    [pauses],
  );
  return rows.map((row) => row.account_id);
}

/** Whether an account was deleted. */
export async function selectIsErased(db: Queryable, accountId: string): Promise<boolean> {
  const find = { name: 'select-is-erased', text: 'select from erasures where account_id = $1' };
  return (await db.query(find, [accountId])).length > 0;
}

/** Services that have confirmed the erasure of an account. */
export async function selectConfirmed(db: Queryable, accountId: string): Promise<string[]> {
  const text = 'select service from erasure_parts where account_id = $1 and erased_at is not null order by 1';
  const rows = await db.query<{ service: string }>({ name: 'select-erasure-confirmed', text }, [accountId]);
  return rows.map(({ service }) => service);
}

export interface ErasureRow {
  readonly requested_at: Date;
  readonly completed_at: Date | null;
  readonly final: boolean;
  readonly service: string;
  readonly erased_at: Date | null;
  /** JSON text. */
  readonly counts: string;
}

/** The receipt: one row for each service, ordered by name. Empty when there is no such receipt. */
export async function selectErasure(db: Queryable, receiptHash: Buffer): Promise<ErasureRow[]> {
  return db.query<ErasureRow>(
    {
      text: `select e.requested_at, e.completed_at, e.due_at is null as final, p.service, p.erased_at, p.counts::text as counts
        from erasures e join erasure_parts p using (account_id) where e.receipt_hash = $1 order by p.service`,
    },
    [receiptHash],
  );
}
