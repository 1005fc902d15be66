import type { Answer, Body, Query } from '../records.ts';
import { type CallOptions, route } from '../transport/call.ts';
import type { Transport } from '../transport/transport.ts';

export type UsageLimit = Answer<'setUsageLimit'>;

/** Use of models by the account, and its limits. */
export class Usage {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Sums between two days, grouped by day, model, agent and others. */
  get(query: Query<'getUsage'> = {}, options?: CallOptions): Promise<Answer<'getUsage'>> {
    return this.#transport.json({ path: '/api/usage', query, ...options });
  }

  /** Limits of the account. */
  limits(options?: CallOptions): Promise<readonly UsageLimit[]> {
    return this.#transport.json({ path: '/api/usage/limits', ...options });
  }

  /** Limits what a `scope` may use in a `period`, such as `account` in a `day`. */
  async setLimit(
    scope: string,
    period: string,
    body: Body<'setUsageLimit'>,
    options?: CallOptions,
  ): Promise<UsageLimit> {
    return this.#transport.json({ method: 'PUT', path: route`/api/usage/limits/${scope}/${period}`, body, ...options });
  }

  /** Removes a limit. */
  async removeLimit(scope: string, period: string, options?: CallOptions): Promise<void> {
    await this.#transport.json({ method: 'DELETE', path: route`/api/usage/limits/${scope}/${period}`, ...options });
  }
}
