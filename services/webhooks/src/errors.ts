import { MeshError } from '@agentmesh/lib/rpc';

/** The account has no subscription with this id. */
export function subscriptionNotFound(id: number): MeshError {
  return new MeshError('not_found', 'subscription_not_found', `Subscription ${id} not found.`);
}

/** A push of Gmail has no bearer token. */
export function pushUnauthenticated(): MeshError {
  return new MeshError('unauthenticated', 'push_unauthenticated', 'A push needs a bearer token.');
}

/** The token of a push is not from the configured Pub/Sub subscription, or none is configured. */
export function pushRefused(): MeshError {
  return new MeshError('permission_denied', 'push_refused', 'The push is not from the configured subscription.');
}

/** Google's keys cannot be read, so that no push can be checked. */
export function pushKeysUnavailable(): MeshError {
  return new MeshError('unavailable', 'push_keys_unavailable', "Google's keys cannot be read.");
}
