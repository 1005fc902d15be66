import type { Answer, Query } from '../records.ts';
import { type CallOptions, route } from '../transport/call.ts';
import type { Transport } from '../transport/transport.ts';

export type Integration = Answer<'listIntegrations'>[number];

const paths = { microsoft: 'microsoft/outlook', google: 'google' } as const;

/** Mail accounts at Microsoft and Google that the account has connected. */
export class Integrations {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Mail accounts that are connected. */
  list(options?: CallOptions): Promise<readonly Integration[]> {
    return this.#transport.json({ path: '/api/integrations/', ...options });
  }

  /** Answers the address at which a person gives consent. */
  connect(
    provider: keyof typeof paths,
    query: Query<'startGmailConnection'>,
    options?: CallOptions,
  ): Promise<Answer<'startGmailConnection'>> {
    return this.#transport.json({ path: `/api/integrations/${paths[provider]}/connect`, query, ...options });
  }

  /** Forgets a mail account and ends its subscriptions. */
  async disconnect(provider: string, options?: CallOptions): Promise<void> {
    await this.#transport.json({ method: 'DELETE', path: route`/api/integrations/${provider}`, ...options });
  }
}
