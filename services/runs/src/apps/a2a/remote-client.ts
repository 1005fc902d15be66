import type { AgentCard } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { type AddressPolicy, type AnswerRefused, createBoundedFetch, forAccount } from '@agentmesh/lib/outbound';
import { LRUCache } from 'lru-cache';
import { checkUrl } from '../mcp/read-mcp-args.ts';
import { RemoteFailure } from './remote-failure.ts';

/** An event has a few lines, and costs a parse. A model's answer may come word by word. */
const bounds = { isNoList: true, mostLines: 20_000 };
const cardCountsMs = 60_000;
const mostCards = 500;
/** Agents of the protocol's version 0.3 are spoken with too. */
const legacyCompat = { enabled: true };

/** One use of a remote agent. */
export interface RemoteUse {
  readonly accountId: string;
  /** Address of its card. */
  readonly cardUrl: string;
  /** Sent to the origin of the card, and to no other. */
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly onRefused: (refused: AnswerRefused) => void;
}

export interface RemoteClientDeps {
  /** Reaches only permitted addresses. */
  readonly fetch: typeof globalThis.fetch;
  readonly policy: AddressPolicy;
}

/** Makes a client of a remote agent. Cards are kept for a minute. */
export type OpenRemote = (use: RemoteUse) => Promise<Client>;

export function createOpenRemote(deps: RemoteClientDeps): OpenRemote {
  const cards = new LRUCache<string, AgentCard>({ max: mostCards, ttl: cardCountsMs });
  return async (use) => {
    const { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory, RestTransportFactory } = await import(
      '@a2a-js/sdk/client'
    );
    const fetchImpl = createRemoteFetch(deps, use);
    const cardResolver = new DefaultAgentCardResolver({ fetchImpl, legacyCompat });
    const options = { fetchImpl, legacyCompat };
    const transports = [new JsonRpcTransportFactory(options), new RestTransportFactory(options)];
    const factory = new ClientFactory({ transports, cardResolver });
    const place = JSON.stringify([use.accountId, use.cardUrl, use.headers]);
    const card = cards.get(place) ?? (await cardResolver.resolve(use.cardUrl, ''));
    const client = await factory.createFromAgentCard(card);
    cards.set(place, card);
    return client;
  };
}

/** The card decides which address is called, so each is checked. */
function createRemoteFetch({ fetch, policy }: RemoteClientDeps, use: RemoteUse): typeof globalThis.fetch {
  const { onRefused, accountId, cardUrl } = use;
  const bounded = createBoundedFetch(fetch, { boundsOf: () => bounds, onRefused });
  const { origin } = new URL(cardUrl);
  return (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const [fault] = checkUrl(url, policy);
    if (fault !== undefined) throw new RemoteFailure(`The address of the remote agent cannot be used. ${fault}`);
    const headers = new Headers(init?.headers);
    if (new URL(url).origin === origin)
      for (const [name, value] of Object.entries(use.headers)) headers.set(name, value);
    return forAccount(accountId, () => bounded(url, { ...init, headers, signal: init?.signal ?? use.signal }));
  };
}
