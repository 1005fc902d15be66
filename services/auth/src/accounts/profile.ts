import { checkText } from '../storable-text.ts';

const maxNameLength = 256;
const maxUrlLength = 2_048;

export interface Profile<Names extends string | undefined> {
  readonly firstName: Names;
  readonly lastName: Names;
  readonly username: string | undefined;
  readonly fullName: string | undefined;
  readonly avatarUrl: string | undefined;
}

/**
 * Checks that the given fields of a profile can be stored, and returns them.
 *
 * @throws MeshError invalid_argument `text_invalid`, which names the first field that cannot
 */
export function checkProfile<Names extends string | undefined>(given: {
  readonly firstName: Names;
  readonly lastName: Names;
  readonly username?: string | undefined;
  readonly fullName?: string | undefined;
  readonly avatarUrl?: string | undefined;
}): Profile<Names> {
  for (const [field, text] of [
    ['first_name', given.firstName],
    ['last_name', given.lastName],
    ['username', given.username],
    ['full_name', given.fullName],
  ] as const) {
    if (text !== undefined) checkText(field, text, maxNameLength);
  }
  if (given.avatarUrl !== undefined) checkText('avatar_url', given.avatarUrl, maxUrlLength);
  const { firstName, lastName, username, fullName, avatarUrl } = given;
  return { firstName, lastName, username, fullName, avatarUrl };
}
