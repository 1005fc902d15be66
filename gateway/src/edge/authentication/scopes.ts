/** Scopes that a personal token can have. Each route names in its `config` the one that opens it. */
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
    /** Scope that opens the route to personal tokens. Without one no personal token opens it. */
    scope?: Scope;
    /** The route holds no end user's data: tokens that are bound to a `user_id` open it though its requests name no user. */
    holdsNoUserData?: true;
  }
}
