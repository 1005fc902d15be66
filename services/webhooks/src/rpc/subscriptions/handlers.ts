import type { SubscriptionsService } from '@agentmesh/proto/webhooks/v1/subscriptions';
import type { ServiceImpl } from '@connectrpc/connect';

/** The handler of every RPC of `SubscriptionsService`, by its name. */
export type Handlers = ServiceImpl<typeof SubscriptionsService>;
