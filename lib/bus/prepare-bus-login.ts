import type pg from 'pg';
import { subjectOf } from './names/index.ts';
import { type BusRights, grantBusRights, lostBusRights } from './postgres/index.ts';
import { durablesOf, formerReadersOf, isKept } from './topic.ts';
import { topicsOf } from './topics-of.ts';

interface BusLoginOptions {
  /** postgres:// address of the owner of the schema `bus`, which `prepareBusSchema` has prepared. */
  readonly url: string;
  /** Name of the login. */
  readonly login: string;
  /** The services that use it. */
  readonly services: readonly string[];
}

/**
 * Gives a login its rights on the tables of the bus: its services store messages of their own topics, and take those of their own durable consumers. A
 * login whose services do neither gets none. Rights that it had before are taken away.
 */
export async function prepareBusLogin({ url, login, services }: BusLoginOptions): Promise<void> {
  await grantBusRights({ url, login, rights: services.map(rightsOf) });
}

/** Names the rights on the bus that `prepareBusLogin` gives, and that the login lacks; without a login those that nobody may have and all have. Changes nothing. */
export async function lostRightsOnBus(
  client: pg.Client,
  { login, services }: { readonly login: string | undefined; readonly services: readonly string[] },
): Promise<string[]> {
  return lostBusRights(client, login, services.map(rightsOf));
}

function rightsOf(service: string): BusRights {
  const { published, consumed } = topicsOf(service);
  const publishes = published
    .filter(isKept)
    .map((topic) => ({ subject: subjectOf(topic), durables: durablesOf(topic), former: formerReadersOf(topic) }));
  return { service, publishes, consumes: consumed.map(subjectOf) };
}
