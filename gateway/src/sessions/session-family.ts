import { routeFamily } from '../edge/http/route-family.ts';

/** Routes that read sessions. */
export const reads = routeFamily({ tag: 'sessions', caller: 'runtime', scope: 'sessions:read' });

/** Routes that change sessions. */
export const writes = routeFamily({ tag: 'sessions', caller: 'runtime', scope: 'sessions:write' });
