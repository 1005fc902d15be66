import type { Identity } from '../authentication/identity.ts';

interface SessionRequest {
  readonly identity: Identity;
  readonly params: { readonly app_name: string; readonly user_id: string; readonly session_id: string };
}

/** Key of the session that a path names, within the caller's account. */
export function sessionKeyOf({ identity, params }: SessionRequest) {
  return {
    accountId: identity.accountId,
    appName: params.app_name,
    userId: params.user_id,
    sessionId: params.session_id,
  };
}
