import type { App, Context } from '../../context.ts';
import { answerRunRoute } from './answer-run.ts';
import { runLogRoute } from './run-log-route.ts';
import { runListRoutes } from './run-lists.ts';
import { runMessageRoute } from './run-messages.ts';
import { sessionCancelRoute } from './cancel-session.ts';
import { runRecordRoutes } from './run-routes.ts';
import { waitForRunRoute } from './wait-for-run.ts';
import { startRunRoute } from './start-run.ts';
import { traceRoute } from './trace-route.ts';

/** Runs in the background, and what clients read and change of the ledger. */
export function ledgerRoutes(app: App, context: Context): void {
  startRunRoute(app, context);
  runRecordRoutes(app, context);
  sessionCancelRoute(app, context);
  waitForRunRoute(app, context);
  runMessageRoute(app, context);
  answerRunRoute(app, context);
  runListRoutes(app, context);
  traceRoute(app, context);
  runLogRoute(app, context);
}
