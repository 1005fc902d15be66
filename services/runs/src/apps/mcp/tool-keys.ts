import type { ToolKeysService } from '@agentmesh/proto/keys/v1/tool_keys';
import type { Client } from '@connectrpc/connect';
import { LRUCache } from 'lru-cache';
import { outlastOutage } from '../../outlast-outage.ts';
import type { OpenToolKey } from './request-headers.ts';

const timeoutMs = 5_000;
/** A changed or deleted key takes effect after this. */
const keyCountsMs = 5_000;
const mostKeys = 1_000;

/**
 * Opens saved keys for tools. A secret is kept for some seconds, so that the calls of a run do not each ask for it. While the keys service cannot be reached, it
 * is asked again for `outageMs`; callers have limits of their own.
 */
export function createOpenToolKey(client: Client<typeof ToolKeysService>, outageMs: number): OpenToolKey {
  const secrets = new LRUCache<string, Promise<string>>({ max: mostKeys, ttl: keyCountsMs });
  return (key) => {
    const place = JSON.stringify([key.accountId, String(key.keyId), key.url]);
    const known = secrets.get(place);
    if (known !== undefined) return known;
    const open = () => client.openToolKey(key, { timeoutMs });
    const asked = outlastOutage(open, { patienceMs: outageMs }).then(({ secret }) => secret);
    secrets.set(place, asked);
    asked.catch(() => secrets.delete(place));
    return asked;
  };
}
