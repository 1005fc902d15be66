import { defineService } from '@agentmesh/lib/service';
import { runsSettings } from './config.ts';

/** Applications and their execution. */
export const runs = defineService({
  name: 'runs',
  settings: runsSettings,
  // ADK takes 1.5 s and 117 MB to import: a process that only names the service does without.
  start: async (host) => (await import('./start-runs.ts')).startRuns(host),
});
