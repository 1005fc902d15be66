import type { Context } from '../../mail/context.ts';
import type { NotificationHandlers } from './handlers.ts';

/** Lets the provider that a request comes from store what it says. A request for no provider of this release is ignored. */
export function receiveNotification(context: Context): NotificationHandlers['receiveNotification'] {
  const { providers, countNotifications } = context;
  return async ({ provider: word, pathToken, authorization, body }) => {
    const provider = providers.find((one) => one.word === word);
    if (provider === undefined) return {};
    const { stored, ignored } = await provider.notified(context, { pathToken, authorization, body });
    countNotifications(word, 'ignored', ignored);
    countNotifications(word, 'stored', stored);
    return {};
  };
}
