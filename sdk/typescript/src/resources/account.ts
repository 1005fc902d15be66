import { ConnectionError } from '../errors.ts';
import type { Answer, Body, User } from '../records.ts';
import { linesOf } from '../streams/lines.ts';
import { type List, listOf, type ListOptions } from '../streams/list.ts';
import { type Call, type CallOptions, route } from '../transport/call.ts';
import type { Transport } from '../transport/transport.ts';

export type Action = Answer<'listAudit'>[number];

/** The refresh cookie of a sign-in where no browser keeps it. */
export interface RefreshCookie {
  value: string | undefined;
}

/** Sends a request with the refresh cookie, and keeps the cookie and the token of the answer. */
export async function tokenFor(transport: Transport, call: Call, cookie: RefreshCookie): Promise<string | undefined> {
  const headers = { cookie: cookie.value };
  return transport.send({ ...call, headers }, async (response) => {
    const set = response.headers.getSetCookie?.().find((it) => it.startsWith('refresh_token='));
    if (set !== undefined) cookie.value = set.split(';')[0];
    return ((await response.json()) as { access_token?: string }).access_token;
  });
}

export interface AccountOptions {
  readonly transport: Transport;
  /** Sends requests without a token: a refused token must not keep anybody from signing in. */
  readonly anonymous: Transport;
  readonly cookie: RefreshCookie;
  readonly onToken: (token: string | undefined) => void;
}

/** Sign-in with a password, and the account of the present token. */
export class Account {
  readonly #options: AccountOptions;

  constructor(options: AccountOptions) {
    this.#options = options;
  }

  /** Signs in. The client sends the token from now on, and gets another one with the refresh cookie when it has run out. */
  async signIn(body: { email: string; password: string }): Promise<void> {
    const { anonymous, cookie, onToken } = this.#options;
    onToken(await tokenFor(anonymous, { method: 'POST', path: '/api/auth/token', body }, cookie));
  }

  /** Goes on with the sign-in whose cookie the browser has kept. False when there is none. */
  async resume(): Promise<boolean> {
    const { anonymous, cookie, onToken } = this.#options;
    const token = await refresh(anonymous, cookie);
    onToken(token);
    return token !== undefined;
  }

  /** Ends the sign-in. */
  async signOut(): Promise<void> {
    const { anonymous, cookie, onToken } = this.#options;
    await tokenFor(anonymous, { method: 'POST', path: '/api/auth/logout' }, cookie);
    cookie.value = undefined;
    onToken(undefined);
  }

  /** Creates an account. It does not sign in. */
  signUp(body: Body<'createUser'>, options?: CallOptions): Promise<User> {
    return this.#options.anonymous.json({ method: 'POST', path: '/api/users/', body, ...options });
  }

  /** The account of the token. */
  me(options?: CallOptions): Promise<User> {
    return this.#options.transport.json({ path: '/api/users/me', ...options });
  }

  /** Changes the name of an account, `me` or another one for admins. */
  async update(id: number, body: Body<'updateUser'>, options?: CallOptions): Promise<User> {
    return this.#options.transport.json({ method: 'PATCH', path: route`/api/users/${id}`, body, ...options });
  }

  /** Deletes an account with everything that it has. Cannot be undone. Answers the id of the receipt, for `erasure`. */
  async delete(id: number, options?: CallOptions): Promise<string> {
    const call: Call = { method: 'DELETE', path: route`/api/users/${id}`, ...options };
    const location = await this.#options.transport.send(call, async ({ headers }) => headers.get('location') ?? '');
    return location.slice(location.lastIndexOf('/') + 1);
  }

  /** The receipt of a deletion: how much was erased where. Needs no token. */
  async erasure(receipt: string, options?: CallOptions): Promise<Answer<'getErasure'>> {
    return this.#options.anonymous.json({ path: route`/api/users/me/erasures/${receipt}`, ...options });
  }

  /** Sign-ins of the account that have not ended. */
  signIns(options?: CallOptions): Promise<Answer<'listSignIns'>> {
    return this.#options.transport.json({ path: '/api/auth/sessions', ...options });
  }

  /** Signs out somewhere else. */
  async endSignIn(id: string, options?: CallOptions): Promise<void> {
    await this.#options.transport.json({ method: 'DELETE', path: route`/api/auth/sessions/${id}`, ...options });
  }

  /** Actions on the account, newest first. */
  audit({ limit = 100, userId, signal }: ListOptions & { userId?: number } = {}): List<Action> {
    return listOf(this.#options.transport, { path: '/api/audit', query: { limit, user_id: userId }, signal });
  }

  /**
   * Everything that the account has, as lines of JSON, each `{kind, of?, data}`. The first has the kind `export` and names the others in `data.kinds`, the last
   * has the kind `end`. Throws ConnectionError where that one is missing: then the export is not whole.
   *
   * @example
   * ```ts
   * for await (const line of mesh.account.export()) {
   *   const { kind, data } = JSON.parse(line);
   *   if (kind === 'end') console.log(data.account); // 1
   * }
   * ```
   */
  async *export({ signal }: Pick<CallOptions, 'signal'> = {}): AsyncGenerator<string> {
    const { body } = await this.#options.transport.open({ path: '/api/users/me/export', signal });
    let last = '';
    for await (const line of linesOf(body)) {
      last = line;
      yield line;
    }
    if (!last.startsWith('{"kind":"end"')) throw new ConnectionError('The export ended before it was whole.');
  }

  /** The public configuration of the server: which sign-ins there are, for example. */
  serverConfig(options?: CallOptions): Promise<Answer<'getConfig'>> {
    return this.#options.anonymous.json({ path: '/api/config', ...options });
  }
}

/** A token for the refresh cookie; undefined where there is no cookie that is good. A cookie that came meanwhile, or was forgotten, stays so. */
export async function refresh(anonymous: Transport, cookie: RefreshCookie): Promise<string | undefined> {
  const [sent, kept] = [cookie.value, { ...cookie }];
  try {
    const token = await tokenFor(anonymous, { method: 'POST', path: '/api/auth/refresh-token' }, kept);
    if (cookie.value === sent) cookie.value = kept.value;
    return token;
  } catch (error) {
    if (error instanceof Error && 'status' in error && error.status === 401) return undefined;
    throw error;
  }
}
