import type { Context } from '../context.ts';
import { addRunMessage } from './add-run-message.ts';
import { answerRun } from './answer-run.ts';
import { getAgentSchema } from './get-agent-schema.ts';
import { getAppGraph } from './get-app-graph.ts';
import { getAppInfo } from './get-app-info.ts';
import { getRunLog } from './get-run-log.ts';
import { getTrace } from './get-trace.ts';
import type { Handlers } from './handlers.ts';
import { listApps } from './list-apps.ts';
import { listSpans } from './list-spans.ts';
import { run } from './run.ts';
import { startRun } from './start-run.ts';
import { watchRun } from './watch-run.ts';

/** The table of contents: every RPC of the service. */
export function createHandlers(context: Context): Handlers {
  return {
    run: run(context),
    startRun: startRun(context),
    addRunMessage: addRunMessage(context),
    answerRun: answerRun(context),
    watchRun: watchRun(context),
    listApps: listApps(context),
    getAppInfo: getAppInfo(context),
    getAppGraph: getAppGraph(context),
    getAgentSchema: getAgentSchema(),
    listSpans: listSpans(context),
    getTrace: getTrace(context),
    getRunLog: getRunLog(context),
  };
}
