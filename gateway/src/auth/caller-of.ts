import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { Identity } from '../edge/authentication/identity.ts';

/** Account and access token of a caller, for calls that auth refuses when the token's sign-in has ended since the gateway let the caller in. */
export function callerOf({ accountId, signInId = '', issuedAt }: Identity) {
  return {
    accountId,
    signInId,
    ...(issuedAt !== undefined && { issuedAt: timestampFromMs(Math.floor(issuedAt * 1000)) }),
  };
}
