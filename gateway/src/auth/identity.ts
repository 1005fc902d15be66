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
}

/** The one account of all callers without a token, where `RUNTIME_AUTH=open`. It exists nowhere. */
export const anonymous: Identity = {
  accountId: '00000000-0000-0000-0000-000000000000',
  email: '',
  role: 'USER',
  signInId: undefined,
};
