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
  /** A worker ended while the server may have been taking it. */
  readonly in_doubt: boolean;
}

/** Which attempt at which mail: a later one takes over. */
export type Attempt = Pick<TakenMail, 'id' | 'attempts'>;

/** Longer than any attempt may take. */
const holdSeconds = 120;

/** Asks for a mail to an address in normal form; costs the same whether it has an account or not. */
export async function enqueueMail(
  db: Queryable,
  { kind, address, accountId }: { readonly kind: MailKind; readonly address: string; readonly accountId?: string },
): Promise<void> {
  const text = 'insert into mails (account_id, kind, address) values ($1, $2, $3)';
  await db.query({ name: 'auth_enqueue_mail', text }, [accountId, kind, address]);
}

/** Takes the mail that has been due the longest; nobody else does within two minutes. */
export async function takeMail(db: Queryable): Promise<TakenMail | undefined> {
  const [row] = await db.query<TakenMail>({
    name: 'auth_take_mail',
    text: `with due as (
        select id, status = 'handing_over' as in_doubt from mails where status <> 'dead' and due_at <= now()
        order by due_at limit 1 for update skip locked)
      update mails m set attempts = m.attempts + 1, due_at = now() + make_interval(secs => ${holdSeconds})
      from due where m.id = due.id
      returning m.id, m.account_id, m.kind, m.address, m.attempts, m.created_at, due.in_doubt`,
  });
  return row;
}

/** Whether the attempt still stands: nobody has taken over or withdrawn the mail. */
export async function isHeld(db: Queryable, { id, attempts }: Attempt): Promise<boolean> {
  const text = 'select id from mails where id = $1 and attempts = $2';
  return (await db.query({ name: 'auth_is_mail_held', text }, [id, attempts])).length > 0;
}

/** From here on the server may take it; false when another worker has taken over or nobody wants it any more. */
export async function beginHandingOver(db: Queryable, { id, attempts }: Attempt): Promise<boolean> {
  const text = `update mails set status = 'handing_over' where id = $1 and attempts = $2 and status = 'waiting' returning id`;
  return (await db.query({ name: 'auth_begin_handing_over', text }, [id, attempts])).length > 0;
}

export async function postponeMail(db: Queryable, { id, attempts }: Attempt, seconds: number): Promise<void> {
  const text = `update mails set status = 'waiting', due_at = now() + make_interval(secs => $3)
    where id = $1 and attempts = $2`;
  await db.query({ name: 'auth_postpone_mail', text }, [id, attempts, seconds]);
}

/** Gives up. What is left of it is not personal. */
export async function buryMail(db: Queryable, { id, attempts }: Attempt): Promise<void> {
  const text = `update mails set status = 'dead', address = '' where id = $1 and attempts = $2`;
  await db.query({ name: 'auth_bury_mail', text }, [id, attempts]);
}

export async function removeMail(db: Queryable, { id, attempts }: Attempt): Promise<void> {
  const statement = { name: 'auth_remove_mail', text: 'delete from mails where id = $1 and attempts = $2' };
  await db.query(statement, [id, attempts]);
}

/** Removes what still waits for an address, of one kind or of all. How many there were. */
export async function removeMailsTo(db: Queryable, address: string, kind?: MailKind): Promise<number> {
  const text = 'delete from mails where address = $1 and kind = coalesce($2, kind) returning id';
  return (await db.query({ text }, [address, kind])).length;
}

/** Removes what was given up over 30 days ago. */
export async function purgeMails(db: Queryable): Promise<void> {
  await db.query({ text: "delete from mails where status = 'dead' and created_at < now() - interval '30 days'" });
}
