import type { Queryable } from '@agentmesh/lib/pg';
import type { AccountName } from '@agentmesh/proto/auth/v1';
import { accountNotFound, callerGone, notAllowed } from '../errors.ts';
import type { AccountKey, AccountRow } from '../store/accounts.ts';
import { selectAccount, selectNamedAccount } from '../store/accounts.ts';
import { findEmailAddress } from '../email-address.ts';
import { parseId } from './parse-id.ts';

/** A request of an actor (the account that is signed in) about an account. */
export interface Request {
  readonly actorId: string;
  readonly account?: AccountName | undefined;
}

/** The account of the actor. Throws MeshError unauthenticated `caller_gone` when it was deleted: the gateway may hear of it up to a second later. */
export async function findActor(db: Queryable, actorId: string): Promise<AccountRow> {
  const id = parseId(actorId);
  const actor = id === undefined ? undefined : await selectAccount(db, id);
  if (actor === undefined) throw callerGone();
  return actor;
}

/**
 * The named account, if it is the actor's own or the actor is an ADMIN. Other actors are refused before any look-up, so neither the
 * answer nor its time tells which accounts exist.
 *
 * @throws MeshError unauthenticated `caller_gone`; permission_denied `not_allowed` with `refusal`; not_found `account_not_found` for admins
 */
export async function findPermitted(
  db: Queryable,
  { actorId, account }: Request,
  refusal: 'Not allowed' | 'Not authorized',
): Promise<AccountRow> {
  const actor = await findActor(db, actorId);
  const key = keyOf(account);
  if (key !== undefined && isOwn(actor, key)) return actor;
  if (actor.role !== 'ADMIN') throw notAllowed(refusal);
  const found = key === undefined ? undefined : await selectNamedAccount(db, key);
  if (found === undefined) throw accountNotFound();
  return found;
}

function isOwn(actor: AccountRow, key: AccountKey): boolean {
  return 'userId' in key ? key.userId === actor.user_id : key.email === actor.email;
}

/** Undefined when no account can have this name. */
function keyOf(account: AccountName | undefined): AccountKey | undefined {
  if (account?.name.case === 'userId') return { userId: account.name.value };
  const email = account?.name.case === 'email' ? findEmailAddress(account.name.value) : undefined;
  return email === undefined ? undefined : { email };
}
