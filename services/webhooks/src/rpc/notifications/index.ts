import type { Context } from '../../mail/context.ts';
import type { NotificationHandlers } from './handlers.ts';
import { receiveGmailNotification } from './receive-gmail-notification.ts';
import { receiveGraphNotifications } from './receive-graph-notifications.ts';

/** Every RPC about notifications. */
export function createNotificationHandlers(context: Context): NotificationHandlers {
  return {
    receiveGraphNotifications: receiveGraphNotifications(context),
    receiveGmailNotification: receiveGmailNotification(context),
  };
}
