import type { NotificationsService } from '@agentmesh/proto/webhooks/v1/notifications';
import type { ServiceImpl } from '@connectrpc/connect';

/** The handler of every RPC about notifications, by its name. */
export type NotificationHandlers = ServiceImpl<typeof NotificationsService>;
