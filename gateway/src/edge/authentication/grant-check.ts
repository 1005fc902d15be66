import type { FastifyRequest } from 'fastify';
import { HttpError } from '../errors/request-error.ts';
import type { Grant } from './identity.ts';

/** Refuses with 403 a route that a personal token was not made for. */
export function checkScope(grant: Grant, request: FastifyRequest): void {
  const { scope } = request.routeOptions.config;
  if (scope !== undefined && grant.scopes.has(scope)) return;
  throw new HttpError(403, scope === undefined ? 'No personal token opens this.' : `Needs ${scope}.`, {
    'www-authenticate': `Bearer error="insufficient_scope"${scope === undefined ? '' : `, scope="${scope}"`}`,
  });
}

/**
 * Refuses with 403 what a personal token that is bound to an end user must not reach: requests that name another or none, and
 * the state of the whole application. Whether the other exists makes no difference. For requests whose fields were checked.
 */
export function checkUser({ userId }: Grant, request: FastifyRequest): void {
  if (userId === undefined) return;
  const named = usersNamed(request);
  const isOwn =
    named.length > 0 ? named.every((one) => one === userId) : request.routeOptions.config.holdsNoUserData === true;
  if (!isOwn) throw new HttpError(403, 'This token is bound to another user_id.');
  if (hasAppKey(request.body)) throw new HttpError(403, 'A token that is bound to a user_id cannot set app: state.');
}

/** Every user that path, query and body name. */
function usersNamed({ params, query, body }: FastifyRequest): unknown[] {
  const places = [params, query, body].filter((place) => typeof place === 'object' && place !== null);
  const fields = places.flatMap((place) => Object.entries(place));
  return fields.filter(([name]) => name === 'user_id' || name === 'userId').map(([, value]) => value as unknown);
}

/** Whether JSON at any depth has a key of application state. */
function hasAppKey(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasAppKey);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return false;
  return Object.entries(value).some(([key, child]) => key.startsWith('app:') || hasAppKey(child));
}
