import type { LifecycleEvent } from '../../store/notified.ts';
import { messageIdOf } from './message-id-of.ts';

/** An item of a Microsoft Graph notification whose shape is right. It is not checked yet whether Microsoft sent it. */
export interface GraphItem {
  readonly subscriptionId: string;
  readonly clientState: string;
  /** A mail, with an empty `changeType` when the item names none; or an event in the life of the subscription. */
  readonly about:
    | { readonly messageId: string; readonly changeType: ChangeType | '' }
    | { readonly lifecycle: LifecycleEvent };
}

/** Most items of one request that are read. */
const mostItems = 1_000;
/** Longest id and client state. */
const maxLength = 1_024;
const lifecycleEvents: readonly string[] = ['reauthorizationRequired', 'subscriptionRemoved', 'missed'];
const changeTypes = ['created', 'updated', 'deleted'] as const;

type ChangeType = (typeof changeTypes)[number];

/** Reads the items of a request. Those without the right shape are left out; a text that is no notification has none. */
export function readGraphNotifications(body: Uint8Array): GraphItem[] {
  const { value } = (parseJson(body) ?? {}) as { value?: unknown };
  if (!Array.isArray(value)) return [];
  return value.slice(0, mostItems).flatMap(readItem);
}

function readItem(item: unknown): GraphItem[] {
  const { subscriptionId, clientState, lifecycleEvent, ...rest } = (item ?? {}) as Record<string, unknown>;
  if (!isText(subscriptionId) || !isText(clientState)) return [];
  if (isLifecycleEvent(lifecycleEvent)) return [{ subscriptionId, clientState, about: { lifecycle: lifecycleEvent } }];
  const changeType = readChangeType(rest.changeType);
  const { id } = (rest.resourceData ?? {}) as { id?: unknown };
  const messageId = id ?? messageIdOf(rest.resource);
  if (changeType === undefined || !isText(messageId)) return [];
  return [{ subscriptionId, clientState, about: { messageId, changeType } }];
}

function readChangeType(value: unknown): ChangeType | '' | undefined {
  if (value === undefined || value === null) return '';
  return changeTypes.find((type) => typeof value === 'string' && type === value.toLowerCase());
}

function isLifecycleEvent(value: unknown): value is LifecycleEvent {
  return typeof value === 'string' && lifecycleEvents.includes(value);
}

/** PostgreSQL cannot store NUL and halves of surrogate pairs. */
function isText(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value !== '' &&
    value.length <= maxLength &&
    !value.includes('\0') &&
    value.isWellFormed()
  );
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString()) as unknown;
  } catch {
    return undefined;
  }
}
