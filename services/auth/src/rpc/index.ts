import { once } from '@agentmesh/lib/idempotency';
import { AuthService } from '@agentmesh/proto/auth/v1';
import type { Context } from '../context.ts';
import { findAccount } from './accounts/find-account.ts';
import { getAccount } from './accounts/get-account.ts';
import { listAccounts } from './accounts/list-accounts.ts';
import { listActions } from './accounts/list-actions.ts';
import { signUp } from './accounts/sign-up.ts';
import { updateAccount } from './accounts/update-account.ts';
import { claimDeviceToken } from './device/claim-device-token.ts';
import { decideDeviceSignIn } from './device/decide-device-sign-in.ts';
import { findDeviceSignIn } from './device/find-device-sign-in.ts';
import { startDeviceSignIn } from './device/start-device-sign-in.ts';
import { deleteAccount } from './erasure/delete-account.ts';
import { checkErasure } from './erasure/check-erasure.ts';
import { getErasure } from './erasure/get-erasure.ts';
import { reportErasure } from './erasure/report-erasure.ts';
import { findAnswerLink } from './answer-links/find-answer-link.ts';
import { sendAnswerLink } from './answer-links/send-answer-link.ts';
import type { Handlers } from './handlers.ts';
import { requestPasswordReset } from './mail/request-password-reset.ts';
import { resendVerification } from './mail/resend-verification.ts';
import { resetPassword } from './mail/reset-password.ts';
import { sendNotice } from './mail/send-notice.ts';
import { verifyEmail } from './mail/verify-email.ts';
import { endSignIn } from './sign-ins/end-sign-in.ts';
import { endSignIns } from './sign-ins/end-sign-ins.ts';
import { listSignIns } from './sign-ins/list-sign-ins.ts';
import { refresh } from './sign-ins/refresh.ts';
import { signIn } from './sign-ins/sign-in.ts';
import { signOut } from './sign-ins/sign-out.ts';
import { createPersonalToken } from './tokens/create-personal-token.ts';
import { findPersonalToken } from './tokens/find-personal-token.ts';
import { getStanding } from './tokens/get-standing.ts';
import { listChangedAccounts } from './tokens/list-changed-accounts.ts';
import { listPersonalTokens } from './tokens/list-personal-tokens.ts';
import { revokePersonalToken } from './tokens/revoke-personal-token.ts';
import { revokePersonalTokens } from './tokens/revoke-personal-tokens.ts';

/** The table of contents: every RPC of the service. */
export function createHandlers(context: Context): Handlers {
  return {
    signUp: signUp(context),
    getAccount: getAccount(context),
    findAccount: findAccount(context),
    listAccounts: listAccounts(context),
    updateAccount: once(context, AuthService.method.updateAccount, updateAccount),
    listActions: listActions(context),

    signIn: signIn(context),
    refresh: refresh(context),
    signOut: signOut(context),
    listSignIns: listSignIns(context),
    endSignIn: endSignIn(context),
    endSignIns: endSignIns(context),

    createPersonalToken: once(context, AuthService.method.createPersonalToken, createPersonalToken),
    listPersonalTokens: listPersonalTokens(context),
    revokePersonalToken: revokePersonalToken(context),
    revokePersonalTokens: revokePersonalTokens(context),
    findPersonalToken: findPersonalToken(context),
    startDeviceSignIn: startDeviceSignIn(context),
    findDeviceSignIn: findDeviceSignIn(context),
    decideDeviceSignIn: decideDeviceSignIn(context),
    claimDeviceToken: claimDeviceToken(context),
    getStanding: getStanding(context),
    listChangedAccounts: listChangedAccounts(context),

    requestPasswordReset: requestPasswordReset(context),
    resetPassword: resetPassword(context),
    verifyEmail: verifyEmail(context),
    resendVerification: resendVerification(context),
    sendNotice: sendNotice(context),
    sendAnswerLink: sendAnswerLink(context),
    findAnswerLink: findAnswerLink(context),

    deleteAccount: deleteAccount(context),
    getErasure: getErasure(context),
    checkErasure: checkErasure(context),
    reportErasure: reportErasure(context),
  };
}
