import type { Job } from '@agentmesh/lib/service';
import type { Context } from '../context.ts';
import { deleteOldCalls } from '../store/model-calls.ts';

const pauseMs = 60_000;
const limit = 10_000;

/** The job that forgets calls of the day before. */
export function createForgetCalls(context: Pick<Context, 'db'>): Job {
  return { pauseMs, failure: 'old calls could not be forgotten', run: () => forgetCalls(context) };
}

/** Forgets all calls that began a day ago. */
export async function forgetCalls({ db }: Pick<Context, 'db'>): Promise<void> {
  while ((await deleteOldCalls(db, { limit })).length === limit);
}
