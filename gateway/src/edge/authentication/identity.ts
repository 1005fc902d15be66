import { MeshError } from '@agentmesh/lib/rpc';

/** Account that a request acts for, and its permissions. */
export interface Identity {
  /** UUID. A request sees only data of this account. */
  readonly accountId: string;
  /** In lower case. */
  readonly email: string;
  /** `USER` or `ADMIN`. */
  readonly role: string;
  /** Sign-in of the token; undefined for a credential without one. */
  readonly signInId: string | undefined;
  /** Unix time in seconds at which the access token was issued; undefined for another credential. */
  readonly issuedAt: number | undefined;
  /** The token was issued for the refresh cookie: nobody has shown the password for it. */
  readonly isFromCookie: boolean;
  /** Limits of a personal token; undefined if everything that the account may do is allowed. */
  readonly grant: Grant | undefined;
}

/** Permissions of a personal token. */
export interface Grant {
  /** The token itself, also of a ticket that it got; undefined for another credential with permissions. */
  readonly token?: { readonly id: string; readonly hash: string };
  readonly scopes: ReadonlySet<string>;
  /** The only end user whose data it reaches; undefined for all of the account. */
  readonly userId: string | undefined;
}

/** Account of all callers without credentials, with `RUNTIME_AUTH=open`. No such account is stored. */
export const anonymous: Identity = {
  accountId: '00000000-0000-0000-0000-000000000000',
  email: '',
  role: 'USER',
  signInId: undefined,
  issuedAt: undefined,
  isFromCookie: false,
  grant: undefined,
};

/** Throws permission_denied `not_enough_permissions` unless the caller is an administrator who has signed in. */
export function requireAdmin({ role }: Identity): void {
  if (role === 'ADMIN') return;
  throw new MeshError('permission_denied', 'not_enough_permissions', 'Not enough permissions');
}
