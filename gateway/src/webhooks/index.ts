import type { App, Context } from '../context.ts';
import { addSubscriptions } from './subscriptions/index.ts';

/** Routes of subscriptions to mailboxes. */
export function addWebhooks(app: App, context: Context): void {
  addSubscriptions(app, context);
}
