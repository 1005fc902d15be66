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

  list(options?: CallOptions): Promise<readonly SavedKey[]> {
    return this.#transport.json({ path: '/api/saved-api-keys', ...options });
  }

  get(id: string, options?: CallOptions): Promise<SavedKey> {
    return this.#transport.json({ path: route`/api/saved-api-keys/${id}`, ...options });
  }

  create(body: Body<'createSavedKey'>, options?: CallOptions): Promise<Answer<'createSavedKey'>> {
    return this.#transport.json({ method: 'POST', path: '/api/saved-api-keys', body, ...options });
  }

  update(id: string, body: Body<'updateSavedKey'>, options?: CallOptions): Promise<Answer<'updateSavedKey'>> {
    return this.#transport.json({ method: 'PATCH', path: route`/api/saved-api-keys/${id}`, body, ...options });
  }

  /** Asks the provider whether the key is good. */
  test(id: string, options?: CallOptions): Promise<Answer<'testSavedKey'>> {
    return this.#transport.json({ method: 'POST', path: route`/api/saved-api-keys/${id}/test`, ...options });
  }

  async delete(id: string, options?: CallOptions): Promise<void> {
    await this.#transport.json({ method: 'DELETE', path: route`/api/saved-api-keys/${id}`, ...options });
  }
}
