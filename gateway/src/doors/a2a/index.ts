import type { App, Context } from '../../context.ts';
import { a2aRoutes } from './a2a-routes.ts';

/** The Agent2Agent protocol: apps are agents, and their runs are tasks. */
export function addA2a(app: App, context: Context): void {
  a2aRoutes(app, context);
}
