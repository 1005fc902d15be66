import { fieldInvalid } from '../../errors.ts';
import type { AccessToken } from '../provider/mail-accounts.ts';
import { hasControls } from '../text/has-controls.ts';

/** Messages of the mailbox, or of one of its folders. Other resources of Graph are no mail. */
const graphPath =
  /^\/?(?:me|users\/[^'/?#\\]{1,400})\/(?:mailFolders(?:\('[^'/?#\\]{1,400}'\)|\/[^'/?#\\]{1,400})\/)?messages$/i;

/** Reads the path of messages to watch; absent: the inbox. Throws `subscription_resource_invalid`. */
export function readGraphResource(resource = "me/mailFolders('Inbox')/messages"): string {
  if (graphPath.test(resource) && !hasControls(resource)) return resource;
  throw fieldInvalid('resource', "The resource is not a path such as me/mailFolders('Inbox')/messages.");
}

/**
 * Throws `subscription_resource_invalid` when a path names another user than the connected one, by address or id: mails are only read from
 * the connected mailbox.
 */
export function checkOwner(resource: string, { mailbox, userId }: Pick<AccessToken, 'mailbox' | 'userId'>): void {
  const owner = /^\/?users\/([^/]+)\//i.exec(resource)?.[1]?.toLowerCase();
  if (owner === undefined || owner === mailbox || owner === userId.toLowerCase()) return;
  throw fieldInvalid('resource', 'The resource is in another mailbox than the connected one. Begin it with me/.');
}
