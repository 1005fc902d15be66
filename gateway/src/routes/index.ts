import type { App, Context } from '../context.ts';
import { accountMailRoutes } from './account-mail.ts';
import { appRoutes } from './apps.ts';
import { auditRoutes } from './audit.ts';
import { authRoutes } from './auth.ts';
import { memoryRoutes } from './memory.ts';
import { operationRoutes } from './operations.ts';
import { personalTokenRoutes } from './personal-tokens.ts';
import { runRoutes } from './runs.ts';
import { sessionRoutes } from './sessions.ts';
import { signInRoutes } from './sign-ins.ts';
import { signUpRoute } from './sign-up.ts';
import { userRoutes } from './users.ts';

/** The table of contents of the public API. */
export function addRoutes(app: App, context: Context): void {
  operationRoutes(app, context);
  authRoutes(app, context);
  signInRoutes(app, context);
  personalTokenRoutes(app, context);
  accountMailRoutes(app, context);
  signUpRoute(app, context);
  userRoutes(app, context);
  auditRoutes(app, context);
  appRoutes(app, context);
  sessionRoutes(app, context);
  memoryRoutes(app, context);
  runRoutes(app, context);
}
