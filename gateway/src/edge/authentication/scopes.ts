import type { FastifyRequest } from 'fastify';

/** All scopes of personal tokens. Each route names the scope that opens it in its `config`. */
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

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Scope that opens the route to personal tokens. Without a scope the route is closed to them. */
    scope?: Scope;
    /** The scope of a route whose body says what it does. */
    scopeOf?: (request: Pick<FastifyRequest, 'body'>) => Scope;
    /** True for a route that acts on the personal token of the request alone: every one opens it, without a scope. */
    ofOwnToken?: true;
    /**
     * True for routes without end users' data. Tokens that are bound to a `user_id` may use them although the request names no
     * user.
     */
    holdsNoUserData?: true;
    /** True for routes that themselves limit a bound token to what belongs to its user, although the request names no user. */
    limitsToUser?: true;
    /** Its bodies set no state: keys that look like state are words of an agent or a tool. */
    setsNoState?: true;
    /** True for a route that reads the `user_id` of its query and declares no schema of it. */
    readsUserFromQuery?: true;
  }
}
