import type { Identity } from '../../edge/authentication/identity.ts';
import { userForeign } from '../../edge/errors/request-error.ts';

/** End user of requests that name none. */
const nobody = 'user';

/**
 * The end user of a request through a door: the one that its user field names, else the one that a personal token is bound to, else `user`. Refuses with 403
 * another user than the bound one.
 */
export function endUserOf({ grant }: Identity, named: string | null | undefined): string {
  const bound = grant?.userId;
  const asked = named || undefined;
  if (bound !== undefined && asked !== undefined && asked !== bound) throw userForeign();
  return bound ?? asked ?? nobody;
}
