import type { ToolKeysService } from '@agentmesh/proto/keys/v1/tool_keys';
import type { Client } from '@connectrpc/connect';
import { LRUCache } from 'lru-cache';
import { outlastOutage } from '../../outlast-outage.ts';
import type { OpenHeaders, OpenToolKey } from './request-headers.ts';

const timeoutMs = 5_000;
/** A changed or deleted key takes effect after this. */
const keyCountsMs = 5_000;
const mostKeys = 1_000;

type ToolKeys = Client<typeof ToolKeysService>;

/**
 * Opens saved keys for tools. A secret is kept for some seconds, so that the calls of a run do not each ask for it. While the keys service cannot be reached, it
 * is asked again for `outageMs`; callers have limits of their own.
 */
export function createOpenToolKey(client: Pick<ToolKeys, 'openToolKey'>, outageMs: number): OpenToolKey {
  const secrets = createShortMemory<string>();
  return (key) => {
    const place = JSON.stringify([key.accountId, String(key.keyId), key.url]);
    const open = () => client.openToolKey(key, { timeoutMs });
    return secrets(place, () => outlastOutage(open, { patienceMs: outageMs }).then(({ secret }) => secret));
  };
}

/** Opens sealed headers of agents, like `createOpenToolKey` the keys. */
export function createOpenHeaders(client: Pick<ToolKeys, 'openHeaders'>, outageMs: number): OpenHeaders {
  const opened = createShortMemory<Readonly<Record<string, string>>>();
  return (headers) => {
    const open = () => client.openHeaders(headers, { timeoutMs });
    const place = JSON.stringify([headers.accountId, headers.url, headers.envelopes]);
    return opened(place, () => outlastOutage(open, { patienceMs: outageMs }).then(({ values }) => values));
  };
}

function createShortMemory<T>(): (place: string, ask: () => Promise<T>) => Promise<T> {
  const known = new LRUCache<string, Promise<T>>({ max: mostKeys, ttl: keyCountsMs });
  return (place, ask) => {
    const present = known.get(place);
    if (present !== undefined) return present;
    const asked = ask();
    known.set(place, asked);
    asked.catch(() => known.delete(place));
    return asked;
  };
}
