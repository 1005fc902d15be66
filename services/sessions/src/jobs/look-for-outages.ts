import type { Job } from '@agentmesh/lib/service';
import type { Context } from '../context.ts';

/** Notes outages of the database: see OutageWatch. */
export function createLookForOutages({ db, outages }: Pick<Context, 'db' | 'outages'>): Job {
  return { pauseMs: 1_000, failure: 'the database does not answer', run: () => outages.look(db) };
}
