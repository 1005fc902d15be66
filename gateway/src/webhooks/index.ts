import type { App, Context } from '../context.ts';
import { addCallbacks } from './callbacks/callbacks.ts';
import { addLogs } from './logs/logs.ts';
import { addSubscriptions } from './subscriptions/subscriptions.ts';

export { mailExport } from './export.ts';

/** Subscriptions to mailboxes, logs of what was done with mails, and the callbacks of mail providers. */
export async function addWebhooks(app: App, context: Context): Promise<void> {
  addSubscriptions(app, context);
  addLogs(app, context);
  await addCallbacks(app, context);
}
