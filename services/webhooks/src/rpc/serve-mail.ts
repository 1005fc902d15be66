import type { Mesh } from '@agentmesh/lib/rpc';
import { LogsService } from '@agentmesh/proto/webhooks/v1/logs';
import { NotificationsService } from '@agentmesh/proto/webhooks/v1/notifications';
import { SubscriptionsService } from '@agentmesh/proto/webhooks/v1/subscriptions';
import type { Context } from '../mail/context.ts';
import { createLogHandlers } from './logs/index.ts';
import { createNotificationHandlers } from './notifications/index.ts';
import { createSubscriptionHandlers } from './subscriptions/index.ts';

/** Serves the contracts of mail. */
export function serveMail(mesh: Pick<Mesh, 'serve'>, context: Context): void {
  mesh.serve(NotificationsService, createNotificationHandlers(context));
  mesh.serve(SubscriptionsService, createSubscriptionHandlers(context));
  mesh.serve(LogsService, createLogHandlers(context));
}
