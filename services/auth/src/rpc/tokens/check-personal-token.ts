import type { CreatePersonalTokenRequest } from '@agentmesh/proto/auth/v1';
import { personalTokenInvalid } from '../../errors.ts';
import { isStorable } from '../../storable-text.ts';

const maxNameLength = 100;
const maxScopes = 50;
const maxUserIdBytes = 512;
const minLifeSeconds = 60;
const maxLifeSeconds = 366 * 24 * 60 * 60;
const scope = /^[a-z][a-z-]{0,31}:[a-z][a-z-]{0,31}$/;

type Wanted = Pick<CreatePersonalTokenRequest, 'name' | 'scopes' | 'lifeSeconds' | 'userId'>;

/** Throws MeshError invalid_argument `personal_token_invalid` for a token that cannot be made. */
export function checkPersonalToken({ name, scopes, userId, lifeSeconds }: Wanted): void {
  if (name.trim() === '' || Array.from(name).length > maxNameLength || /\p{Cc}/u.test(name) || !isStorable(name)) {
    throw personalTokenInvalid(
      `A token has a name of 1 to ${maxNameLength} characters, not all of them blanks and none a control character.`,
    );
  }
  if (scopes.length === 0 || scopes.length > maxScopes || !scopes.every((text) => scope.test(text))) {
    throw personalTokenInvalid('A token has at least one scope.');
  }
  if (userId !== undefined && (userId === '' || Buffer.byteLength(userId) > maxUserIdBytes || !isStorable(userId))) {
    throw personalTokenInvalid('The user_id of a token is an id that a session can have.');
  }
  if (lifeSeconds < minLifeSeconds || lifeSeconds > maxLifeSeconds) {
    throw personalTokenInvalid('A token lives from a minute to 366 days.');
  }
}
