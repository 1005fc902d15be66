import type { Context } from '../../mail/context.ts';
import type { NotificationHandlers } from './handlers.ts';

/** Returns the service account of a push. The caller knows what it may do. */
export function identifyPush({ readPushToken, clock }: Context): NotificationHandlers['identifyPush'] {
  return async ({ authorization, audiences }) => ({
    serviceAccount: await readPushToken({ authorization, audiences, now: clock.now() }),
  });
}
