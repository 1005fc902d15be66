import { routeFamily } from '../edge/http/route-family.ts';

/** Routes that read agents. */
export const reads = routeFamily({ tag: 'agents', caller: 'account', scope: 'agents:read' });

/** Routes that change agents. */
export const writes = routeFamily({ tag: 'agents', caller: 'account', scope: 'agents:write' });
