import type { Answer, Body } from '../records.ts';
import { type List, listOf, type ListOptions } from '../streams/list.ts';
import { type CallOptions, route } from '../transport/call.ts';
import type { Transport } from '../transport/transport.ts';

export type PersonalToken = Answer<'listPersonalTokens'>[number];

/** Personal tokens, for programs. */
export class Tokens {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Newest first. */
  list({ limit = 100, signal }: ListOptions = {}): List<PersonalToken> {
    return listOf(this.#transport, { path: '/api/auth/tokens', query: { limit }, signal });
  }

  /** Makes a token. `token` of the answer is shown this once. Needs a sign-in with the password. */
  create(body: Body<'createPersonalToken'>, options?: CallOptions): Promise<Answer<'createPersonalToken'>> {
    return this.#transport.json({ method: 'POST', path: '/api/auth/tokens', body, ...options });
  }

  /** Ends a token. */
  async revoke(id: string, options?: CallOptions): Promise<void> {
    await this.#transport.json({ method: 'DELETE', path: route`/api/auth/tokens/${id}`, ...options });
  }

  /** Ends the personal token that this client sends: for programs that sign out. NotFoundError for the token of a sign-in. */
  async revokeCurrent(options?: CallOptions): Promise<void> {
    await this.#transport.json({ method: 'DELETE', path: '/api/auth/tokens/current', ...options });
  }

  /** Ends all personal tokens of the account. */
  async revokeAll(options?: CallOptions): Promise<void> {
    await this.#transport.json({ method: 'DELETE', path: '/api/auth/tokens', ...options });
  }
}
