import type { FastifyRequest } from 'fastify';
import { HttpError, userForeign } from '../errors/request-error.ts';
import type { Grant } from './identity.ts';

/** Refuses with 403 a route whose scope the personal token does not have. */
export function checkScope(grant: Grant, request: FastifyRequest): void {
  const { scopeOf, ofOwnToken, scope = scopeOf?.(request) } = request.routeOptions.config;
  if (ofOwnToken === true || (scope !== undefined && grant.scopes.has(scope))) return;
  throw new HttpError(403, scope === undefined ? 'No personal token opens this.' : `Needs ${scope}.`, {
    'www-authenticate': `Bearer error="insufficient_scope"${scope === undefined ? '' : `, scope="${scope}"`}`,
  });
}

/**
 * Holds a personal token that is bound to an end user to that user. Refuses with 403 requests that name another user or none, and
 * changes of `app:` state. The answer is the same whether the other user exists or not. Call it after the fields were checked.
 */
export function checkUser({ userId }: Grant, request: FastifyRequest): void {
  if (userId === undefined) return;
  const named = usersNamed(request);
  const { holdsNoUserData, limitsToUser, setsNoState } = request.routeOptions.config;
  const isOwn =
    named.length > 0 ? named.every((one) => one === userId) : holdsNoUserData === true || limitsToUser === true;
  if (!isOwn) throw userForeign();
  if (setsNoState !== true && hasAppKey(request.body))
    throw new HttpError(403, 'A token that is bound to a user_id cannot set app: state.');
}

const userFields = ['user_id', 'userId'];

/** All user ids that the route reads from path, query and body. A field that it does not read names nobody, whatever it says. */
function usersNamed({ params, query, body, routeOptions }: FastifyRequest): unknown[] {
  const { schema, config } = routeOptions;
  const isInQuery = config.readsUserFromQuery === true || declaresUser(schema?.querystring);
  const places = [params, isInQuery && query, declaresUser(schema?.body) && body];
  return places.flatMap((place) => {
    const fields = Object.entries(typeof place === 'object' && place !== null ? place : {});
    return fields.filter(([name]) => userFields.includes(name)).map(([, value]) => value as unknown);
  });
}

function declaresUser(schema: unknown): boolean {
  const { properties = {} } = (schema ?? {}) as { readonly properties?: object };
  return userFields.some((name) => Object.hasOwn(properties, name));
}

/** Whether JSON has an `app:` key at any depth. */
function hasAppKey(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasAppKey);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return false;
  return Object.entries(value).some(([key, child]) => key.startsWith('app:') || hasAppKey(child));
}
