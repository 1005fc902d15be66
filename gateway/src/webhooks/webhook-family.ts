import { routeFamily } from '../edge/http/route-family.ts';

/** Routes that read subscriptions and logs. */
export const reads = routeFamily({ tag: 'webhooks', caller: 'account', scope: 'webhooks:read' });

/** Routes that change subscriptions, and run agents with mails again. */
export const writes = routeFamily({ tag: 'webhooks', caller: 'account', scope: 'webhooks:write' });
