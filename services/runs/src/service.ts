import { defineService, type Host } from '@agentmesh/lib/service';
import { ModelUseService } from '@agentmesh/proto/keys/v1/model_use';
import { SavedKeysService } from '@agentmesh/proto/keys/v1/saved_keys';
import { ToolKeysService } from '@agentmesh/proto/keys/v1/tool_keys';
import { createSealHeaders } from './apps/agents/header-values.ts';
import { readRunsConfig, runsSettings } from './config.ts';
import { follow } from './consumers/follow.ts';
import type { Context } from './context.ts';
import { gaugeRuns } from './execution/gauge-runs.ts';
import { makeRoom } from './execution/take-up.ts';
import { startJobs } from './jobs/start-jobs.ts';
import { createReleaseLeases } from './execution/release-leases.ts';
import { endingsOf } from './execution-endings.ts';
import { importAdk } from './import-adk.ts';
import { AwaitedHere } from './execution/notices/awaited-here.ts';
import { openExecution } from './open-execution.ts';
import { reencrypt } from './reencrypt.ts';
import { openTraces, prepareTraces } from './open-traces.ts';
import { serveContracts } from './rpc/serve-contracts.ts';

/** Applications and their execution. */
export const runs = defineService({
  name: 'runs',
  calls: ['artifacts', 'auth', 'keys', 'memory', 'sessions'],
  database: { migrations: new URL('../migrations/', import.meta.url) },
  settings: runsSettings,
  commands: ['reencrypt'],
  async command(_, { openDatabase, print, reseal }) {
    await reencrypt({ db: await openDatabase(), reseal: reseal(), print });
  },
  async start(host) {
    const { log, mesh } = host;
    const config = readRunsConfig(host.config);
    // Must run before ADK is imported, because ADK gets its tracer only at import.
    prepareTraces(host, config);
    const adk = await importAdk();
    adk.quietAdk(log);

    const db = await host.openDatabase();
    const use = adk.createModelUse({ client: mesh.client(ModelUseService), log, outageMs: config.outageMs });
    const known = await adk.openApps({ host, db, use }, config);
    const traces = await openTraces(host, { config, db });
    const { compactor, ...execution } = openExecution(host, {
      config,
      adk,
      known,
      watched: traces.watched,
      onEnded: (turn, ending) => makeRoom(context, turn, ending),
    });
    const own = {
      config,
      db,
      awaited: new AwaitedHere(),
      spans: traces.log,
      traces: traces.writer,
      runLines: traces.lines,
    };
    const context: Context = { ...known, ...execution, ...surroundingsOf(host), ...own };

    serveContracts(mesh, context, adk.createAgentHandlers);
    await follow(host, context);
    startJobs(host, context);
    gaugeRuns(host.metrics, context);

    return {
      ready: { agents: () => known.registry.check(), database: () => db.ping() },
      ...endingsOf({ executor: context.executor, compactor, use, release: createReleaseLeases(context) }),
    };
  },
});

function surroundingsOf({ bus, log, draining, mesh }: Host<typeof runsSettings>) {
  const sealHeaders = createSealHeaders(mesh.client(ToolKeysService));
  return { bus, log, draining, savedKeys: mesh.client(SavedKeysService), sealHeaders };
}
