import type { App, Context } from '../context.ts';
import { auditRoutes } from './audit/audit.ts';
import { deviceDecisionRoutes } from './device/device-decisions.ts';
import { deviceRoutes } from './device/device.ts';
import { accountMailRoutes } from './mail/account-mail.ts';
import { signInRoutes } from './sign-in/sign-in.ts';
import { signInsRoutes } from './sign-in/sign-ins.ts';
import { personalTokenRoutes } from './tokens/personal-tokens.ts';
import { signUpRoute } from './users/sign-up.ts';
import { userRoutes } from './users/users.ts';

export { accountExport } from './export.ts';

/** Accounts: sign-up, sign-in, tokens, account mail, users, erasure and the audit. */
export function addAuth(app: App, context: Context): void {
  // The documentation lists routes in the order in which they are added: a newcomer signs up first.
  signUpRoute(app, context);
  signInRoutes(app, context);
  signInsRoutes(app, context);
  personalTokenRoutes(app, context);
  deviceRoutes(app, context);
  deviceDecisionRoutes(app, context);
  accountMailRoutes(app, context);
  userRoutes(app, context);
  auditRoutes(app, context);
}
