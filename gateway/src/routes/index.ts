import type { App, Context } from '../context.ts';
import { accountMailRoutes } from './account-mail.ts';
import { appRoutes } from './apps.ts';
import { artifactRoutes } from './artifacts.ts';
import { artifactUploadRoutes } from './artifact-uploads.ts';
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
export async function addRoutes(app: App, context: Context): Promise<void> {
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
  artifactRoutes(app, context);
  memoryRoutes(app, context);
  runRoutes(app, context);
  await artifactUploadRoutes(app, context);
}
