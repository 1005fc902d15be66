/** For whom a request acts. */
export interface Identity {
  /** UUID; the wall around everything that the request can see. */
  readonly accountId: string;
  /** In lower case. */
  readonly email: string;
  /** `USER` or `ADMIN`. */
  readonly role: string;
  /** The sign-in that let it in; undefined where none did. */
  readonly signInId: string | undefined;
  /** All that it may do; undefined: whatever its account may. */
  readonly grant: Grant | undefined;
}

/** What a personal token may do. */
export interface Grant {
  readonly scopes: ReadonlySet<string>;
  /** The only end user whose data it reaches; undefined: all of the account. */
  readonly userId: string | undefined;
}

/** The one account of all callers without a token, where `RUNTIME_AUTH=open`. It exists nowhere. */
export const anonymous: Identity = {
  accountId: '00000000-0000-0000-0000-000000000000',
  email: '',
  role: 'USER',
  signInId: undefined,
  grant: undefined,
};
