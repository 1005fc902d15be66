import type { FastifyRequest } from 'fastify';
import type { Identity } from '../edge/authentication/identity.ts';
import { greedyName } from '../edge/http/greedy-route.ts';
import type { Place } from './uploads/save-requests.ts';

/** Artifacts of a session and of its user. */
export const artifactsPath = '/apps/:app_name/users/:user_id/sessions/:session_id/artifacts';
/** Paths below it. Names may contain slashes. */
export const greedyPath = `${artifactsPath}/*`;
export const greedy = { greedyAfter: 7 } as const;

interface ArtifactsRequest {
  readonly identity: Identity;
  readonly params: unknown;
}

/** Place that the path names, within the caller's account. */
export function placeOf({ identity, params }: ArtifactsRequest): Place {
  const { app_name, user_id, session_id } = params as Record<'app_name' | 'user_id' | 'session_id', string>;
  return { accountId: identity.accountId, appName: app_name, userId: user_id, sessionId: session_id };
}

/** Artifact that the whole path names. */
export function artifactOf(request: FastifyRequest): Place & { readonly name: string } {
  return { ...placeOf(request), name: greedyName(request) };
}
