/** What a personal token can be made for. Reading is GET; everything else writes. */
export const scopes = [
  'account:read',
  'agents:read',
  'agents:write',
  'apps:read',
  'artifacts:read',
  'artifacts:write',
  'audio:write',
  'integrations:read',
  'integrations:write',
  'keys:read',
  'keys:write',
  'memory:read',
  'memory:write',
  'runs:read',
  'runs:write',
  'sessions:read',
  'sessions:write',
  'webhooks:read',
  'webhooks:write',
] as const;

export type Scope = (typeof scopes)[number];

interface Area {
  readonly name: string;
  /** Of the routes: of several that fit, the first counts. */
  readonly path: RegExp;
  /** It holds nothing of any end user: a token that is bound to one may use it, though its requests name none. */
  readonly isImpersonal?: true;
  /** A GET of it writes, too. */
  readonly isWritten?: true;
}

const ofUser = '^/apps/:app_name/users/:user_id';

/** The one place that says which scope opens which route. What is not here, no personal token opens. */
const areas: readonly Area[] = [
  { name: 'artifacts', path: new RegExp(`${ofUser}/(sessions/:session_id/)?artifacts(/|$)`) },
  { name: 'sessions', path: new RegExp(`${ofUser}/sessions(/|$)`) },
  { name: 'memory', path: new RegExp(`${ofUser}/memory(/|$)`) },
  { name: 'apps', path: /^\/(list-apps|version|apps\/:app_name\/app-info)$/, isImpersonal: true },
  { name: 'runs', path: /^\/(run|run_sse|runs\/.*)$/ },
  { name: 'runs', path: /^\/run_live$/, isWritten: true },
  { name: 'agents', path: /^\/api\/(agents|models)(\/|$)/ },
  { name: 'keys', path: /^\/api\/saved-api-keys(\/|$)/ },
  { name: 'webhooks', path: /^\/api\/webhooks\/(subscriptions|logs)(\/|$)/ },
  { name: 'integrations', path: /^\/api\/integrations(\/|$)/ },
  { name: 'audio', path: /^\/api\/audio\/transcribe$/, isImpersonal: true },
  { name: 'account', path: /^\/api\/users\/me$/ },
];

export interface Requirement {
  readonly scope: Scope;
  readonly isImpersonal: boolean;
}

/** What a personal token must be made for to open a route, given with its parameters' names; undefined: none opens it. */
export function requirementOf(method: string, url: string): Requirement | undefined {
  const area = areas.find(({ path }) => path.test(url));
  if (area === undefined) return undefined;
  const isRead = (method === 'GET' || method === 'HEAD') && area.isWritten !== true;
  const name = `${area.name}:${isRead ? 'read' : 'write'}`;
  const scope = scopes.find((known) => known === name);
  return scope === undefined ? undefined : { scope, isImpersonal: area.isImpersonal === true };
}
