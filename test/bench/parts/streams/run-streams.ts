import type { Part } from '../part.ts';
import { measureBacklog } from './backlog.ts';
import { measureCancels } from './cancels.ts';
import { measureFanOut } from './fan-out.ts';

/** Runs that are watched, resumed and cancelled. */
export const runStreams: Part = {
  name: 'run-streams',
  measure: async (options) => [
    ...(await measureCancels(options)),
    ...(await measureBacklog(options)),
    ...(await measureFanOut(options)),
  ],
};
