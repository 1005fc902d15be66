import type { HintHandler } from '@agentmesh/lib/bus';
import type { RunsWatchedSchema } from '@agentmesh/proto/runs/v1/live';
import type { Context } from '../context.ts';

/** Notes which runs are watched elsewhere. If the hint is lost, it is repeated after some seconds. */
export function onRunsWatched({ live }: Pick<Context, 'live'>): HintHandler<typeof RunsWatchedSchema> {
  return (hint) => live.onWatched(hint);
}
