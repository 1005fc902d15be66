import type { ToolKeysService } from '@agentmesh/proto/keys/v1/tool_keys';
import type { Client } from '@connectrpc/connect';
import { LRUCache } from 'lru-cache';
import type { OpenToolKey } from './request-headers.ts';

const timeoutMs = 5_000;
/** A changed or deleted key takes effect after this. */
const keyCountsMs = 5_000;
const mostKeys = 1_000;

/** Opens saved keys for tools. A secret is kept for some seconds, so that the calls of a run do not each ask for it. */
export function createOpenToolKey(client: Client<typeof ToolKeysService>): OpenToolKey {
  const secrets = new LRUCache<string, Promise<string>>({ max: mostKeys, ttl: keyCountsMs });
  return (key) => {
    const place = JSON.stringify([key.accountId, String(key.keyId), key.url]);
    const known = secrets.get(place);
    if (known !== undefined) return known;
    const asked = client.openToolKey(key, { timeoutMs }).then(({ secret }) => secret);
    secrets.set(place, asked);
    asked.catch(() => secrets.delete(place));
    return asked;
  };
}
