import { isUuid } from '@agentmesh/proto/uuid';
import { MeshError } from './mesh-error.ts';

/** Returns the account id of a request. Throws `invalid_argument` (reason `request_invalid`) unless it is a UUID in lower case. */
export function checkAccountId(accountId: string): string {
  if (isUuid(accountId)) return accountId;
  throw new MeshError('invalid_argument', 'request_invalid', 'An account id is a lower-case UUID.');
}
