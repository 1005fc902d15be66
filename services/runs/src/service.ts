import { defineService } from '@agentmesh/lib/service';
import { startSpanWatching } from '@agentmesh/lib/telemetry';
import { runsSettings } from './config.ts';

/** Applications and their execution. */
export const runs = defineService({
  name: 'runs',
  settings: runsSettings,
  // ADK takes 1.5 s and 117 MB to import: a process that only names the service does without.
  start: async (host) => {
    // Before ADK is imported: it asks for its tracer then, and once.
    const watching = host.config.ADK_WEB_UI ? await startSpanWatching('agentmesh-runs') : undefined;
    if (watching !== undefined) host.resources.use(watching);
    return (await import('./start-runs.ts')).startRuns(host);
  },
});
