import type { Context } from '../../context.ts';
import { requestMail } from '../../mail/request-mail.ts';
import type { Handlers } from '../handlers.ts';

export function requestPasswordReset(context: Context): Handlers['requestPasswordReset'] {
  return async ({ email }) => {
    await requestMail(context, 'reset', email);
    return {};
  };
}
