import type { App, Context } from '../../context.ts';
import { runRoute } from './run-route.ts';

/** AG-UI: pages with agents, of which each app is one. */
export function addAgui(app: App, context: Context): void {
  runRoute(app, context);
}
