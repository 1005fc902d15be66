import type { HintHandler } from '@agentmesh/lib/bus';
import type { RunProgressedSchema } from '@agentmesh/proto/runs/v1/live';
import type { Context } from '../context.ts';

/** Shows viewers of this process what a run does in another one. If the hint is lost, they get the stored events all the same. */
export function onRunProgressed({ live }: Pick<Context, 'live'>): HintHandler<typeof RunProgressedSchema> {
  return (hint) => live.onProgressed(hint);
}
