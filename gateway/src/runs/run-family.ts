import { routeFamily } from '../edge/http/route-family.ts';

/** Routes that read runs by their id. They limit a bound token to its user themselves. */
export const readsOfRun = routeFamily({ tag: 'runs', caller: 'runtime', scope: 'runs:read', limitsToUser: true });

/** Routes that read what authors of apps see of runs. A bound token, which an end user may hold, opens none of them. */
export const readsAsAuthor = routeFamily({ tag: 'runs', caller: 'runtime', scope: 'runs:read' });

/** Routes that change runs by their id. They limit a bound token to its user themselves. */
export const writesOfRun = routeFamily({ tag: 'runs', caller: 'runtime', scope: 'runs:write', limitsToUser: true });

/** Routes that start runs. */
export const startsRuns = routeFamily({
  tag: 'runs',
  caller: 'runtime',
  scope: 'runs:write',
  refusals: [403, 404, 409],
});
