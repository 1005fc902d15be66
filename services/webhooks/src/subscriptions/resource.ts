import { fieldInvalid } from '../errors.ts';
import type { Provider } from '../provider/provider.ts';

const defaults: Readonly<Record<Provider, string>> = {
  microsoft: "me/mailFolders('Inbox')/messages",
  google: 'INBOX',
};

/** Messages of the mailbox, or of one of its folders. Other resources of Graph are no mail. */
const graphPath = /^\/?me\/(?:mailFolders(?:\('[^'/?#\\]{1,400}'\)|\/[^'/?#\\]{1,400})\/)?messages$/i;
/** Id of a label, e.g. `INBOX` or `Label_12`. */
const labelId = /^[A-Za-z0-9_-]{1,225}$/;

/** Reads what to watch; absent: the inbox. Throws `subscription_resource_invalid`. */
export function readResource(provider: Provider, resource: string | undefined): string {
  if (resource === undefined) return defaults[provider];
  if (provider === 'google') {
    if (labelId.test(resource)) return resource;
    throw fieldInvalid('resource', 'The resource is not the id of a Gmail label, such as INBOX, or ALL.');
  }
  if (graphPath.test(resource) && !hasControls(resource)) return resource;
  throw fieldInvalid('resource', "The resource is not a path such as me/mailFolders('Inbox')/messages.");
}

function hasControls(text: string): boolean {
  return Array.from(text).some((character) => character < ' ' || character === '\u007f');
}
