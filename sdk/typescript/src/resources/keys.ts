import type { Answer, Body } from '../records.ts';
import { type CallOptions, route } from '../transport/call.ts';
import type { Transport } from '../transport/transport.ts';

/** A saved key for a model provider. Its value is never answered. */
export type SavedKey = Answer<'getSavedKey'>;

/** Keys for model providers that the account has saved. */
export class Keys {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Saved keys of the account. */
  list(options?: CallOptions): Promise<readonly SavedKey[]> {
    return this.#transport.json({ path: '/api/saved-api-keys', ...options });
  }

  /** One saved key. */
  async get(id: string, options?: CallOptions): Promise<SavedKey> {
    return this.#transport.json({ path: route`/api/saved-api-keys/${id}`, ...options });
  }

  /** Saves a key. */
  create(body: Body<'createSavedKey'>, options?: CallOptions): Promise<Answer<'createSavedKey'>> {
    return this.#transport.json({ method: 'POST', path: '/api/saved-api-keys', body, ...options });
  }

  /** Changes the given fields of a saved key. */
  async update(id: string, body: Body<'updateSavedKey'>, options?: CallOptions): Promise<Answer<'updateSavedKey'>> {
    return this.#transport.json({ method: 'PATCH', path: route`/api/saved-api-keys/${id}`, body, ...options });
  }

  /** Asks the provider whether the key is good. */
  async test(id: string, options?: CallOptions): Promise<Answer<'testSavedKey'>> {
    return this.#transport.json({ method: 'POST', path: route`/api/saved-api-keys/${id}/test`, ...options });
  }

  /** Forgets a saved key. */
  async delete(id: string, options?: CallOptions): Promise<void> {
    await this.#transport.json({ method: 'DELETE', path: route`/api/saved-api-keys/${id}`, ...options });
  }
}
