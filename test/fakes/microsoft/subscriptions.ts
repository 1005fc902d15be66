import { type Call, insist, push, Refused, type Reply, type Route, uuidOf } from '../upstream/index.ts';
import { bodyOf, folderOf, mailboxOf, preferencesOf } from './graph-call.ts';
import { graphError, invalidRequest, objectNotFound } from './graph-error.ts';
import type { Mailbox, Subscription, World } from './world.ts';

/** How the fake treats new subscriptions. */
export interface SubscriptionRules {
  /** Longest wait for the answer to a handshake, in real milliseconds. Graph: 10,000. */
  handshakeTimeoutMs: number;
  /** Runs before the answer to a successful create, when the subscription exists already. */
  beforeAnswer: (subscription: Subscription) => Promise<void>;
}

const minute = 60_000;
/** The live service's limit without resource data. */
const mostMinutes = 10_070;
const fewestMinutes = 45;
const knownFields = [
  'changeType',
  'notificationUrl',
  'lifecycleNotificationUrl',
  'resource',
  'expirationDateTime',
  'clientState',
  'latestSupportedTlsVersion',
];

/** Routes of `/v1.0/subscriptions`. A plain-HTTP notification URL is accepted, because the receivers of tests have no certificate. */
export function subscriptionRoutes(world: World, rules: SubscriptionRules): Route[] {
  const one = /^\/v1\.0\/subscriptions\/([^/]+)$/;
  const own = (call: Call, id: string): Subscription => ownSubscription(world, mailboxOf(world, call, 'Mail.Read'), id);
  return [
    { method: 'POST', path: /^\/v1\.0\/subscriptions$/, serve: (call) => create(world, rules, call) },
    {
      method: 'GET',
      path: /^\/v1\.0\/subscriptions$/,
      serve: (call) => {
        const { user } = mailboxOf(world, call, 'Mail.Read');
        const mine = Array.from(world.subscriptions.values()).filter(
          (it) => isLive(world, it) && it.user.id === user.id,
        );
        return { status: 200, body: { value: mine.map((it) => print(world, it)) } };
      },
    },
    { method: 'GET', path: one, serve: (call, id = '') => ({ status: 200, body: print(world, own(call, id)) }) },
    {
      method: 'PATCH',
      path: one,
      serve: (call, id = '') => {
        const subscription = own(call, id);
        const body = bodyOf(call);
        const other = Object.keys(body).find((key) => key !== 'expirationDateTime' && key !== 'notificationUrl');
        insist(other === undefined, () => invalidRequest(`The property ${other} cannot be changed.`));
        subscription.expiresAt = expiryOf(world, body.expirationDateTime);
        subscription.isPaused = false;
        return { status: 200, body: print(world, subscription) };
      },
    },
    {
      method: 'DELETE',
      path: one,
      serve: (call, id = '') => {
        world.subscriptions.delete(own(call, id).id);
        return { status: 204 };
      },
    },
    {
      method: 'POST',
      path: /^\/v1\.0\/subscriptions\/([^/]+)\/reauthorize$/,
      serve: (call, id = '') => {
        own(call, id).isPaused = false;
        return { status: 204 };
      },
    },
  ];
}

/** Whether the provider still knows it. */
export function isLive(world: World, { expiresAt }: Subscription): boolean {
  return expiresAt > world.clock.now();
}

function ownSubscription(world: World, { user }: Mailbox, id: string): Subscription {
  const found = world.subscriptions.get(id);
  if (found === undefined || !isLive(world, found) || found.user.id !== user.id) throw new Refused(objectNotFound());
  return found;
}

async function create(world: World, rules: SubscriptionRules, call: Call): Promise<Reply> {
  const mailbox = mailboxOf(world, call, 'Mail.Read');
  const made = readSubscription(world, mailbox, call);
  const urls = [made.notificationUrl, made.lifecycleNotificationUrl].filter((url) => url !== undefined);
  const failures = await Promise.all(urls.map((url) => handshake(url, rules.handshakeTimeoutMs)));
  const failure = failures.find((reply) => reply !== undefined);
  if (failure !== undefined) throw new Refused(failure);
  world.subscriptions.set(made.id, made);
  await rules.beforeAnswer(made);
  return { status: 201, body: print(world, made) };
}

function readSubscription(world: World, mailbox: Mailbox, call: Call): Subscription {
  const body = bodyOf(call);
  const unknown = Object.keys(body).find((key) => !knownFields.includes(key));
  insist(unknown === undefined, () => invalidRequest(`The property '${unknown}' does not exist.`));
  const { changeType, notificationUrl, lifecycleNotificationUrl, resource, clientState } = body;
  const isUrl = (value: unknown): value is string => typeof value === 'string' && URL.canParse(value);
  insist(isUrl(notificationUrl), () => invalidRequest('The notificationUrl is not a URL.'));
  insist(lifecycleNotificationUrl === undefined || isUrl(lifecycleNotificationUrl), () =>
    invalidRequest('The lifecycleNotificationUrl is not a URL.'),
  );
  insist(typeof resource === 'string', () => invalidRequest('The resource is missing.'));
  insist(clientState === undefined || (typeof clientState === 'string' && clientState.length <= 128), () =>
    invalidRequest('The clientState is longer than 128 characters.'),
  );
  checkResource(mailbox, resource);
  return {
    id: uuidOf('5', world.next()),
    user: mailbox.user,
    resource,
    changeTypes: readChangeTypes(changeType),
    clientState,
    notificationUrl,
    lifecycleNotificationUrl,
    isImmutable: preferencesOf(call).isImmutable,
    expiresAt: expiryOf(world, body.expirationDateTime),
    isPaused: false,
  };
}

function readChangeTypes(text: unknown): string[] {
  const types = typeof text === 'string' ? text.split(',').map((type) => type.trim().toLowerCase()) : [];
  const areKnown = types.length > 0 && types.every((type) => ['created', 'updated', 'deleted'].includes(type));
  insist(areKnown, () => invalidRequest(`'${String(text)}' is not a valid changeType.`));
  return types;
}

/** The folder that a subscription's resource names; undefined for the whole mailbox. */
export function checkResource(mailbox: Mailbox, resource: string): string | undefined {
  const { id, address } = mailbox.user;
  const owner = `(?:me|users/(?:${id}|${address.replaceAll('.', '\\.')}))`;
  const found = new RegExp(`^/?${owner}/(?:mailFolders(?:\\('([^']+)'\\)|/([^/]+))/)?messages$`, 'i').exec(resource);
  insist(found !== null, () => invalidRequest(`Unsupported resource: ${resource}`));
  const folder = found[1] ?? found[2];
  return folder === undefined ? undefined : folderOf(mailbox, folder);
}

function expiryOf(world: World, value: unknown): Date {
  const isDate =
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) && !Number.isNaN(Date.parse(value));
  insist(isDate, () => invalidRequest('The expirationDateTime is not a UTC time.'));
  const now = world.clock.now().getTime();
  const minutes = (Date.parse(value) - now) / minute;
  insist(minutes > 0, () => invalidRequest('Subscription expiration must be in the future.'));
  insist(minutes <= mostMinutes, () =>
    graphError(400, 'ExtensionError', `Subscription expiration can only be ${mostMinutes} minutes in the future.`),
  );
  return new Date(now + Math.max(minutes, fewestMinutes) * minute);
}

/** Undefined after success. */
async function handshake(url: string, timeoutMs: number): Promise<Reply | undefined> {
  // Characters that break receivers which forget to decode, decode twice, or answer HTML.
  const token = 'Validation: Testing client application reachability for subscription +%2B<b>&"é';
  const target = new URL(url);
  const query = `validationToken=${encodeURIComponent(token)}`;
  target.search = target.search === '' ? query : `${target.search}&${query}`;
  const headers = { 'content-type': 'text/plain; charset=utf-8' };
  const answer = await push({ url: target.href, headers, body: '', timeoutMs });
  if (answer === undefined) return graphError(400, 'InvalidRequest', 'Subscription validation request timed out.');
  const isRight = answer.status === 200 && answer.contentType.startsWith('text/plain') && answer.body === token;
  const message =
    'Subscription validation request failed. Notification endpoint must respond with 200 OK to validation request.';
  return isRight ? undefined : graphError(400, 'ValidationError', message);
}

function print(world: World, it: Subscription): object {
  return {
    '@odata.context': 'https://graph.microsoft.com/v1.0/$metadata#subscriptions/$entity',
    id: it.id,
    resource: it.resource,
    applicationId: world.client.id,
    changeType: it.changeTypes.join(','),
    clientState: it.clientState ?? null,
    notificationUrl: it.notificationUrl,
    notificationQueryOptions: null,
    lifecycleNotificationUrl: it.lifecycleNotificationUrl ?? null,
    // Graph writes seven fractional digits.
    expirationDateTime: it.expiresAt.toISOString().replace('Z', '0000Z'),
    creatorId: it.user.id,
    includeResourceData: null,
    latestSupportedTlsVersion: 'v1_2',
    encryptionCertificate: null,
    encryptionCertificateId: null,
    notificationUrlAppId: null,
  };
}
