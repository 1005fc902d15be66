import type { Queryable } from '@agentmesh/lib/pg';

export type MailKind = 'verify' | 'reset';

/** A mail that this worker has taken. */
export interface TakenMail {
  readonly id: string;
  readonly account_id: string | null;
  readonly kind: MailKind;
  readonly address: string;
  readonly attempts: number;
  readonly created_at: Date;
  /** A worker stopped while the server may have been accepting it. */
  readonly in_doubt: boolean;
}

/** An attempt to send a mail. A later attempt takes over from it. */
export type Attempt = Pick<TakenMail, 'id' | 'attempts'>;

/** So long a worker holds a mail: longer than any attempt takes. */
const holdSeconds = 120;

/** Queues a mail to an address in normal form. The cost is the same whether the address has an account or not. */
export async function enqueueMail(
  db: Queryable,
  { kind, address, accountId }: { readonly kind: MailKind; readonly address: string; readonly accountId?: string },
): Promise<void> {
  const text = 'insert into mails (account_id, kind, address) values ($1, $2, $3)';
  await db.query({ name: 'enqueue-mail', text }, [accountId, kind, address]);
}

/** Takes the mail that has been due the longest. No other worker takes it within two minutes. */
export async function takeMail(db: Queryable): Promise<TakenMail | undefined> {
  const [row] = await db.query<TakenMail>({
    name: 'take-mail',
    text: `with due as (
        select id, status = 'handing_over' as in_doubt from mails where status <> 'dead' and due_at <= now()
        order by due_at limit 1 for update skip locked)
      update mails m set attempts = m.attempts + 1, due_at = now() + make_interval(secs => ${holdSeconds})
      from due where m.id = due.id
      returning m.id, m.account_id, m.kind, m.address, m.attempts, m.created_at, due.in_doubt`,
  });
  return row;
}

/** Whether the attempt is current: no other worker has taken over the mail, and it was not withdrawn. */
export async function isHeld(db: Queryable, { id, attempts }: Attempt): Promise<boolean> {
  const text = 'select id from mails where id = $1 and attempts = $2';
  return (await db.query({ name: 'find-held-mail', text }, [id, attempts])).length > 0;
}

/** Stores that the server may accept the mail from now on. False when another worker has taken it over, or it was withdrawn. */
export async function beginHandingOver(db: Queryable, { id, attempts }: Attempt): Promise<boolean> {
  const text = `update mails set status = 'handing_over' where id = $1 and attempts = $2 and status = 'waiting' returning id`;
  return (await db.query({ name: 'begin-handing-over', text }, [id, attempts])).length > 0;
}

export async function postponeMail(db: Queryable, { id, attempts }: Attempt, seconds: number): Promise<void> {
  const text = `update mails set status = 'waiting', due_at = now() + make_interval(secs => $3)
    where id = $1 and attempts = $2`;
  await db.query({ name: 'postpone-mail', text }, [id, attempts, seconds]);
}

/** Gives the mail up and removes its address, so that no personal data remains. */
export async function buryMail(db: Queryable, { id, attempts }: Attempt): Promise<void> {
  const text = `update mails set status = 'dead', address = '' where id = $1 and attempts = $2`;
  await db.query({ name: 'bury-mail', text }, [id, attempts]);
}

export async function removeMail(db: Queryable, { id, attempts }: Attempt): Promise<void> {
  const statement = { name: 'remove-mail', text: 'delete from mails where id = $1 and attempts = $2' };
  await db.query(statement, [id, attempts]);
}

/** Deletes waiting mail to an address, of one kind or of all kinds. Returns the number of mails. */
export async function removeMailsTo(db: Queryable, address: string, kind?: MailKind): Promise<number> {
  const text = 'delete from mails where address = $1 and kind = coalesce($2, kind) returning id';
  return (await db.query({ text }, [address, kind])).length;
}

/** Deletes mail that was created over 30 days ago and given up. */
export async function purgeMails(db: Queryable): Promise<void> {
  await db.query({ text: "delete from mails where status = 'dead' and created_at < now() - interval '30 days'" });
}
