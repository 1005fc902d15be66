import { lostRightsOnBus } from '../bus/index.ts';
import { type Login, lostRights, schemasOf, withOwner } from '../pg/index.ts';
import type { Service } from './service.ts';

/** The login of each service of the mesh; undefined: it has none of its own. */
export type Logins = ReadonlyMap<Service, Login | undefined>;

export interface LostRightsOptions {
  /** postgres:// address of the login that `migrate` uses. */
  readonly url: string;
  /** The services whose rights are looked at. */
  readonly services: readonly Service[];
  readonly logins: Logins;
}

/** The schemas of a service; none for one without a database. */
export function schemasOfService({ name, database }: Service): string[] {
  return database ? schemasOf(name, database.jobs === true) : [];
}

/** Names of the logins that other services have. */
export function othersOf(service: Service, logins: Logins): string[] {
  const own = logins.get(service)?.name;
  return Array.from(logins.values()).flatMap((login) =>
    login === undefined || login.name === own ? [] : [login.name],
  );
}

/** Names the rights that `migrate` gives, or takes from all others, and that are not so: each as a few words. Changes nothing. */
export async function findLostRights({ url, services, logins }: LostRightsOptions): Promise<string[]> {
  const hasLogins = logins.values().some((login) => login !== undefined);
  return withOwner(url, async (client) => {
    const found = new Set<string>();
    const note = (lines: readonly string[]) => lines.forEach((line) => found.add(line));
    for (const service of services) {
      const login = logins.get(service)?.name;
      const schemas = schemasOfService(service);
      note(await lostRights(client, { service: service.name, schemas, login, others: othersOf(service, logins) }));
      const users = Array.from(logins).filter(([, used]) => login === undefined || used?.name === login);
      const onBus = login === undefined ? [service.name] : users.map(([{ name }]) => name);
      note(await lostRightsOnBus(client, { login, services: onBus }));
    }
    // The rights of the whole database are changed only together with all services.
    if (!hasLogins || services.length < logins.size) return [...found];
    const { rows } = await client.query<{ name: string }>(openDatabase);
    note(rows.map(({ name }) => name));
    return [...found];
  });
}

const openDatabase = `select 'closing of the database to other logins of the server: ' || word as name
  from unnest('{CONNECT,TEMPORARY}'::text[]) word where has_database_privilege('public', current_database(), word)`;
