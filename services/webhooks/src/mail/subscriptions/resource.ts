import { fieldInvalid } from '../../errors.ts';
import type { AccessToken } from '../provider/mail-accounts.ts';
import type { Provider } from '../../provider.ts';

const defaults: Readonly<Record<Provider, string>> = {
  microsoft: "me/mailFolders('Inbox')/messages",
  google: 'INBOX',
};

/** Messages of the mailbox, or of one of its folders. Other resources of Graph are no mail. */
const graphPath =
  /^\/?(?:me|users\/[^'/?#\\]{1,400})\/(?:mailFolders(?:\('[^'/?#\\]{1,400}'\)|\/[^'/?#\\]{1,400})\/)?messages$/i;
/** Longest name of a label at Gmail. */
const longestLabel = 225;

/**
 * Reads what to watch; absent: the inbox. At Gmail it is the id or the name of a label, which only the mailbox knows. Throws
 * `subscription_resource_invalid`.
 */
export function readResource(provider: Provider, resource: string | undefined): string {
  if (resource === undefined) return defaults[provider];
  if (provider === 'google') {
    const label = resource.trim();
    if (label !== '' && label.length <= longestLabel && !hasControls(label)) return label;
    throw fieldInvalid('resource', 'The resource is not the id or the name of a Gmail label, such as INBOX, or ALL.');
  }
  if (graphPath.test(resource) && !hasControls(resource)) return resource;
  throw fieldInvalid('resource', "The resource is not a path such as me/mailFolders('Inbox')/messages.");
}

function hasControls(text: string): boolean {
  return Array.from(text).some((character) => character < ' ' || character === '\u007f');
}

/**
 * Throws `subscription_resource_invalid` when a path at Microsoft names another user than the connected one, by address or id: mails are only read
 * from the connected mailbox.
 */
export function checkOwner(resource: string, { mailbox, userId }: Pick<AccessToken, 'mailbox' | 'userId'>): void {
  const owner = /^\/?users\/([^/]+)\//i.exec(resource)?.[1]?.toLowerCase();
  if (owner === undefined || owner === mailbox || owner === userId.toLowerCase()) return;
  throw fieldInvalid('resource', 'The resource is in another mailbox than the connected one. Begin it with me/.');
}
