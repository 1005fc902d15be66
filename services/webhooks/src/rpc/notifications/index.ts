import type { Context } from '../../mail/context.ts';
import type { NotificationHandlers } from './handlers.ts';
import { identifyPush } from './identify-push.ts';
import { receiveNotification } from './receive-notification.ts';

/** Every RPC about notifications. */
export function createNotificationHandlers(context: Context): NotificationHandlers {
  return { receiveNotification: receiveNotification(context), identifyPush: identifyPush(context) };
}
