import type { App, Context } from '../context.ts';
import { adkRunRoute } from './adk/adk-runs.ts';
import { adkSessionRoutes } from './adk/adk-sessions.ts';
import { agentSchemaRoutes } from './agent-schema.ts';
import { appRoutes } from './apps.ts';
import { answerLinkRoutes } from './answer-links/answer-link-routes.ts';
import { changesRoute } from './changes/changes-route.ts';
import { ledgerRoutes } from './ledger/index.ts';
import { addRunLive } from './live/run-live.ts';
import { noticeStreamRoute } from './notices/notice-stream.ts';
import { noticeRoutes } from './notices/notices.ts';
import { operatorRoutes } from './operators/operator-routes.ts';
import { runRoutes } from './runs.ts';
import { triggerRoutes } from './triggers/trigger-routes.ts';
import { runEventsRoute } from './watching/run-events.ts';
import { runTicketRoute } from './watching/run-ticket.ts';
import { deliveryRoutes } from './webhooks/deliveries.ts';

export { runExport } from './export/run-export.ts';

/** Applications, their runs and live connections. */
export async function addRuns(app: App, context: Context): Promise<void> {
  appRoutes(app, context);
  agentSchemaRoutes(app, context);
  runRoutes(app, context);
  ledgerRoutes(app, context);
  answerLinkRoutes(app, context);
  runEventsRoute(app, context);
  runTicketRoute(app, context);
  deliveryRoutes(app, context);
  adkSessionRoutes(app, context);
  adkRunRoute(app, context);
  noticeRoutes(app, context);
  noticeStreamRoute(app, context);
  changesRoute(app, context);
  operatorRoutes(app, context);
  triggerRoutes(app, context);
  await addRunLive(app, context);
}
