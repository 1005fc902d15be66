import { fieldInvalid } from '../../errors.ts';
import { listOf, recordOf, textOf } from '../provider/json.ts';
import type { ProviderClient } from '../provider/create-provider-client.ts';
import type { MailAccount } from '../../provider.ts';
import { unreadable } from '../provider/provider-error.ts';
import { hasControls } from '../text/has-controls.ts';

/** Labels that every mailbox has, by their ids. `ALL` is ours. */
const systemLabel = /^(?:ALL|INBOX|STARRED|IMPORTANT|UNREAD|SENT|DRAFT|SPAM|TRASH|CHAT|CATEGORY_[A-Z]+)$/;

/** Longest name of a label. */
const longestLabel = 225;

/** Reads the id or the name of a label, which only the mailbox knows; absent: the inbox. Throws `subscription_resource_invalid`. */
export function readLabel(resource = 'INBOX'): string {
  const label = resource.trim();
  if (label !== '' && label.length <= longestLabel && !hasControls(label)) return label;
  throw fieldInvalid('resource', 'The resource is not the id or the name of a Gmail label, such as INBOX, or ALL.');
}

interface Label {
  readonly id: string;
  readonly name: string;
}

/** Owner of the label, and the access token to ask with. */
export interface LabelOwner {
  readonly mailAccount: MailAccount;
  readonly accessToken: string;
}

/**
 * Returns the id of the label that a text names: by its id, or by its name in any letter case. Throws `subscription_resource_invalid` when the
 * mailbox has no such label, and ProviderError.
 */
export async function resolveLabel(gmail: ProviderClient, text: string, owner: LabelOwner): Promise<string> {
  if (systemLabel.test(text.toUpperCase())) return text.toUpperCase();
  const labels = await listLabels(gmail, owner);
  const wanted = text.toLowerCase();
  const found =
    labels.find(({ id }) => id === text) ??
    labels.find(({ name }) => name === text) ??
    labels.find(({ name }) => name.toLowerCase() === wanted);
  if (found === undefined) throw fieldInvalid('resource', 'The mailbox has no label with this id or name.');
  return found.id;
}

async function listLabels(gmail: ProviderClient, { mailAccount, accessToken }: LabelOwner): Promise<Label[]> {
  const request = { method: 'GET', target: '/gmail/v1/users/me/labels' } as const;
  const { json } = await gmail.call(mailAccount, request, accessToken);
  const { labels } = recordOf(json);
  if (!Array.isArray(labels)) throw unreadable();
  return listOf(labels)
    .map(recordOf)
    .map(({ id, name }) => ({ id: textOf(id), name: textOf(name) }));
}
