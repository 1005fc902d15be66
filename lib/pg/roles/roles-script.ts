import pg from 'pg';
import { alterStatement, createStatement, limitsStatement, type Login } from './login.ts';
import { closeRights } from './public-rights.ts';

export interface RolesScriptOptions {
  /** postgres:// address that `migrate` will connect to. Nothing connects to it here. */
  readonly url: string;
  /** Names of the services with a schema. */
  readonly schemas: readonly string[];
  readonly logins: readonly Login[];
}

/**
 * SQL that an administrator runs once in the database at `url`, where the login of that address may not create roles or is no superuser: it creates the logins with the hashes of
 * their passwords, lets that login prepare the schemas, and takes from every login what PostgreSQL gives it, as far as the administrator may. It may run again. Rights on tables are left to `migrate`.
 */
export function rolesScript({ url, schemas, logins }: RolesScriptOptions): string {
  const { username, pathname } = new URL(url);
  const database = pg.escapeIdentifier(decodeURIComponent(pathname.slice(1) || username));
  const owner = pg.escapeIdentifier(decodeURIComponent(username));
  return [
    `-- For an administrator, in the database ${database}`,
    `grant connect, create on database ${database} to ${owner};`,
    ...schemas.map((service) => grantFormerOwner(`agentmesh_${service}`, owner)),
    ...logins.flatMap((login) => [
      unless(`exists (select from pg_roles where rolname = ${pg.escapeLiteral(login.name)})`, createStatement(login)),
      `${alterStatement(login)};`,
      `${limitsStatement(login)};`,
      `grant connect on database ${database} to ${pg.escapeIdentifier(login.name)};`,
    ]),
    ...(logins.length === 0
      ? []
      : [`revoke connect, temporary on database ${database} from public;`, `${closeRights};`]),
  ].join('\n');
}

/** A role that owns the schema because an earlier login could create roles. */
function grantFormerOwner(role: string, owner: string): string {
  const isOwner = `exists (select from pg_namespace where nspowner = to_regrole(${pg.escapeLiteral(role)}))`;
  return unless(`not ${isOwner}`, `grant ${role} to ${owner}`);
}

function unless(condition: string, statement: string): string {
  return `do $do$ begin if not (${condition}) then ${statement}; end if; end $do$;`;
}
