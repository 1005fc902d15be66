import type { ServiceImpl } from '@connectrpc/connect';
import type { AuthService } from '@agentmesh/proto/auth/v1';
import type { Context } from '../context.ts';
import { deleteAccount } from './delete-account.ts';
import { findAccount } from './find-account.ts';
import { getErasure } from './get-erasure.ts';
import { getAccount } from './get-account.ts';
import { listActions } from './list-actions.ts';
import { listAccounts } from './list-accounts.ts';
import { endSignIn } from './end-sign-in.ts';
import { endSignIns } from './end-sign-ins.ts';
import { getStanding } from './get-standing.ts';
import { listChangedAccounts } from './list-changed-accounts.ts';
import { listSignIns } from './list-sign-ins.ts';
import { refresh } from './refresh.ts';
import { signOut } from './sign-out.ts';
import { createPersonalToken } from './create-personal-token.ts';
import { listPersonalTokens } from './list-personal-tokens.ts';
import { revokePersonalToken } from './revoke-personal-token.ts';
import { revokePersonalTokens } from './revoke-personal-tokens.ts';
import { findPersonalToken } from './find-personal-token.ts';
import { requestPasswordReset, resendVerification } from './request-mail.ts';
import { resetPassword } from './reset-password.ts';
import { signIn } from './sign-in.ts';
import { signUp } from './sign-up.ts';
import { updateAccount } from './update-account.ts';
import { verifyEmail } from './verify-email.ts';

export type AuthRpc = ServiceImpl<typeof AuthService>;

export function createHandlers(context: Context): AuthRpc {
  return {
    signUp: signUp(context),
    signIn: signIn(context),
    getAccount: getAccount(context),
    findAccount: findAccount(context),
    listAccounts: listAccounts(context),
    updateAccount: updateAccount(context),
    signOut: signOut(context),
    findPersonalToken: findPersonalToken(context),
    revokePersonalTokens: revokePersonalTokens(context),
    revokePersonalToken: revokePersonalToken(context),
    listPersonalTokens: listPersonalTokens(context),
    createPersonalToken: createPersonalToken(context),
    refresh: refresh(context),
    listSignIns: listSignIns(context),
    listChangedAccounts: listChangedAccounts(context),
    getStanding: getStanding(context),
    endSignIns: endSignIns(context),
    endSignIn: endSignIn(context),
    requestPasswordReset: requestPasswordReset(context),
    resetPassword: resetPassword(context),
    verifyEmail: verifyEmail(context),
    resendVerification: resendVerification(context),
    listActions: listActions(context),
    deleteAccount: deleteAccount(context),
    getErasure: getErasure(context),
  };
}
