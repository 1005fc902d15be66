import type { Answer, Body } from '../records.ts';
import { List } from '../streams/list.ts';
import { type CallOptions, route } from '../transport/call.ts';
import type { Transport } from '../transport/transport.ts';

export type PersonalToken = Answer<'listPersonalTokens'>['tokens'][number];

/** Personal tokens, for programs. */
export class Tokens {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list({ signal }: Pick<CallOptions, 'signal'> = {}): List<PersonalToken> {
    return new List(async (after) => {
      const call = { path: '/api/auth/tokens', query: { after }, signal };
      const { tokens, has_more: hasMore } = await this.#transport.json<Answer<'listPersonalTokens'>>(call);
      return { items: tokens, next: hasMore ? tokens.at(-1)?.id : undefined };
    });
  }

  /** Makes a token. `token` of the answer is shown this once. Needs a sign-in with the password. */
  create(body: Body<'createPersonalToken'>, options?: CallOptions): Promise<Answer<'createPersonalToken'>> {
    return this.#transport.json({ method: 'POST', path: '/api/auth/tokens', body, ...options });
  }

  async revoke(id: string, options?: CallOptions): Promise<void> {
    await this.#transport.json({ method: 'DELETE', path: route`/api/auth/tokens/${id}`, ...options });
  }

  async revokeAll(options?: CallOptions): Promise<void> {
    await this.#transport.json({ method: 'DELETE', path: '/api/auth/tokens', ...options });
  }
}
