import type { Context } from '../../context.ts';
import type { Handlers } from '../handlers.ts';
import { requestPasswordReset } from './request-password-reset.ts';
import { resendVerification } from './resend-verification.ts';
import { resetPassword } from './reset-password.ts';
import { sendNotice } from './send-notice.ts';
import { verifyEmail } from './verify-email.ts';

/** Mail to accounts, and its secrets. */
export function mailHandlers(
  context: Context,
): Pick<Handlers, 'requestPasswordReset' | 'resetPassword' | 'verifyEmail' | 'resendVerification' | 'sendNotice'> {
  return {
    requestPasswordReset: requestPasswordReset(context),
    resetPassword: resetPassword(context),
    verifyEmail: verifyEmail(context),
    resendVerification: resendVerification(context),
    sendNotice: sendNotice(context),
  };
}
