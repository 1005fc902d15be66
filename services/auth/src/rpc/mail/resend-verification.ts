import type { Context } from '../../context.ts';
import { requestMail } from '../../mail/request-mail.ts';
import type { Handlers } from '../handlers.ts';

export function resendVerification(context: Context): Handlers['resendVerification'] {
  return async ({ email }) => {
    await requestMail(context, 'verify', email);
    return {};
  };
}
