import type { App, Context } from '../../context.ts';
import { addAdminUsage } from './admin-usage.ts';
import { usageRoutes } from './usage.ts';

/** The use of models, of the own account and of all. */
export function addUsage(app: App, context: Context): void {
  usageRoutes(app, context);
  addAdminUsage(app, context);
}
