import type { App, Context } from '../context.ts';
import { appRoutes } from './apps.ts';
import { addRunLive } from './live/run-live.ts';
import { runRoutes } from './runs.ts';

/** Applications, their runs and live connections. */
export async function addRuns(app: App, context: Context): Promise<void> {
  appRoutes(app, context);
  runRoutes(app, context);
  await addRunLive(app, context);
}
