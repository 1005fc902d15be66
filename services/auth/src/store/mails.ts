import type { Queryable } from '@agentmesh/lib/pg';
import type { MailKind } from '../mail/mail-kind.ts';

// The table `mails` was the queue of former releases. A later release drops it.

export interface FormerMail {
  readonly id: string;
  readonly kind: MailKind;
  readonly address: string;
  readonly may_have_left: boolean;
}

/** Takes mails that are due and that no process of a former release holds. */
export function takeFormerMails(db: Queryable): Promise<FormerMail[]> {
  return db.query<FormerMail>({
    name: 'take-former-mails',
    text: `delete from mails m using (
        select id from mails where status <> 'dead' and due_at <= now() limit 1000 for update skip locked
      ) due where m.id = due.id
      returning m.id, m.kind, m.address, m.status = 'handing_over' as may_have_left`,
  });
}

/** Removes what waits for an address, of one kind or of all. Answers how many there were. */
export async function deleteFormerMails(
  db: Queryable,
  { address, kind }: { readonly address: string; readonly kind?: MailKind },
): Promise<number> {
  const text = 'delete from mails where address = $1 and kind = coalesce($2, kind) returning id';
  return (await db.query({ name: 'delete-former-mails', text }, [address, kind])).length;
}
