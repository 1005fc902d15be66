import type { Context } from '../context.ts';
import { findEmailAddress } from '../email-address.ts';
import { basicAuthDisabled } from '../errors.ts';
import { enqueueMail, type MailKind } from '../store/mails.ts';
import type { AuthRpc } from './index.ts';

export function requestPasswordReset(context: Context): AuthRpc['requestPasswordReset'] {
  return (request) => requestMail(context, 'reset', request.email);
}

export function resendVerification(context: Context): AuthRpc['resendVerification'] {
  return (request) => requestMail(context, 'verify', request.email);
}

/** The same work for every address: whether it has an account, and which, is for the worker to find out. */
async function requestMail({ config, db }: Context, kind: MailKind, email: string): Promise<object> {
  if (!config.AUTH_BASIC_ENABLED) throw basicAuthDisabled();
  const address = findEmailAddress(email);
  if (address !== undefined) await enqueueMail(db, { kind, address });
  return {};
}
