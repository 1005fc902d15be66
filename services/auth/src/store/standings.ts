import type { Queryable } from '@agentmesh/lib/pg';
import type { Role } from './accounts.ts';

export interface StandingRow {
  readonly email: string;
  readonly role: Role;
  readonly sign_ins_valid_from: Date | null;
  readonly sign_in_stands: boolean;
}

export async function findStanding(
  db: Queryable,
  { accountId, signInId }: { readonly accountId: string; readonly signInId: string | undefined },
): Promise<StandingRow | undefined> {
  const [row] = await db.query<StandingRow>(
    {
      name: 'find-standing',
      text: `select a.email, a.role, a.sign_ins_valid_from,
          coalesce(s.ended_at is null and s.generation = a.sign_in_generation, false) as sign_in_stands
        from accounts a left join sign_ins s on s.account_id = a.id and s.id = $2
        where a.id = $1`,
    },
    [accountId, signInId ?? null],
  );
  return row;
}
