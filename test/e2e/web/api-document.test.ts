import { beforeAll, describe, expect, inject, test } from 'vitest';
import { Caller, newAccount } from '../../caller.ts';

const url = inject('meshUrl');

interface Media {
  readonly example?: unknown;
  readonly schema?: object;
}

interface Operation {
  readonly operationId: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly { in: string; name: string; example?: unknown }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, { description: string; content?: Readonly<Record<string, Media>> }>>;
}

interface Route extends Operation {
  readonly method: string;
  readonly path: string;
}

interface Document {
  readonly info: { readonly version: string; readonly license: object };
  readonly tags: readonly { name: string; description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

let document: Document;
let routes: readonly Route[];

beforeAll(async () => {
  document = (await new Caller(url).request<Document>('GET', '/openapi.json')).body;
  routes = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );
});

describe('the OpenAPI document', () => {
  test('describes every operation, with the sections for newcomers first', () => {
    const names = document.tags.map(({ name }) => name);
    expect(names.slice(0, 3)).toEqual(['accounts', 'sessions', 'runs']);
    expect(names.at(-1)).toBe('operations');
    const undescribed = routes.filter(({ description = '' }) => !/^[A-Z0-9].{10,}\.$/s.test(description));
    expect(undescribed.map(({ operationId }) => operationId)).toEqual([]);
    expect(names).toEqual(expect.arrayContaining(routes.map(({ tags }) => tags[0])));
  });

  test('gives every answer its real media type and its own description', async () => {
    const answers = routes.flatMap(({ operationId, responses }) =>
      Object.entries(responses).map(([status, answer]) => ({ name: `${operationId} ${status}`, ...answer })),
    );
    const others = answers.filter(({ content = {} }) =>
      Object.keys(content).some((type) => type !== 'application/json'),
    );
    expect(others.map(({ name, content = {} }) => [name, ...Object.keys(content)])).toEqual([
      ['exportAccount 200', 'application/x-ndjson'],
      ['streamRun 200', 'text/event-stream'],
      ['watchRun 200', 'text/event-stream'],
      ['streamAdkRun 200', 'text/event-stream'],
      ['streamNotifications 200', 'text/event-stream'],
      ['streamChanges 200', 'text/event-stream'],
      ['exportAgent 200', 'application/yaml'],
      ['receiveOutlookNotifications 200', 'text/plain'],
      ['receiveSharedOutlookNotifications 200', 'text/plain'],
    ]);
    expect(answers.filter(({ description }) => description === 'Default Response')).toEqual([]);
    const caller = await newAccount(url);
    const refused = await caller.request('POST', '/run_sse', { appName: 'echo', userId: 'user', sessionId: 'none' });
    expect(refused.headers.get('content-type')).toMatch('application/json');
  });
});

/** Operations whose examples get another status: they need a value from a mail, a cookie, a file, a provider or an earlier answer. */
const unknowable: Readonly<Record<string, number>> = {
  answerRun: 409,
  rewindSession: 400,
  forkSession: 400,
  refreshToken: 401,
  resetPassword: 401,
  verifyEmail: 401,
  // Sent after the run of the example was cancelled.
  addRunMessage: 409,
  cancelSession: 404,
  claimDeviceToken: 400,
  getDeviceSignIn: 422,
  approveDeviceSignIn: 404,
  denyDeviceSignIn: 404,
  getErasure: 404,
  // The token of the test is that of a sign-in.
  revokeCurrentPersonalToken: 404,
  listUsers: 403,
  getUsageOfAccounts: 403,
  listSlowAccounts: 403,
  findRunHolder: 403,
  transcribeAudio: 422,
  finalizeAgentIdentity: 403,
  readNotification: 404,
  getSchedule: 404,
  updateSchedule: 404,
  pauseSchedule: 404,
  resumeSchedule: 404,
  deleteSchedule: 404,
  listRunWebhookDeliveries: 404,
  resendRunWebhookDelivery: 404,
  getWebhookSubscription: 404,
  getWebhookLog: 404,
  getWebhookLogBody: 404,
  getWebhookLogAttachment: 404,
  retriggerWebhookLog: 404,
  createWebhookSubscription: 400,
  updateWebhookSubscription: 404,
  renewWebhookSubscription: 404,
  deleteWebhookSubscription: 404,
  testSavedKey: 404,
  receiveOutlookNotifications: 202,
  receiveSharedOutlookNotifications: 202,
  receiveGmailNotification: 403,
  startOutlookConnection: 422,
  startGmailConnection: 422,
  finishOutlookConnection: 503,
  finishGmailConnection: 503,
  disconnectIntegration: 404,
};
/** Operations that delete what other examples need. They are sent last, in this order. */
const last = [
  'deleteArtifact',
  'deleteMemory',
  'deleteMemories',
  'deleteSession',
  'deleteAgent',
  'deleteAdkSession',
  'createSessionWithId',
  'revokePersonalTokens',
  'deleteSavedKey',
  'testSavedKey',
  'endSignIns',
];
/** Operations that get the id of the saved key. The last one comes after its deletion, because it calls a provider. */
const savedKeyOperations = ['getSavedKey', 'updateSavedKey', 'replaceSavedKey', 'deleteSavedKey', 'testSavedKey'];
/** Streams that end only with the client or the server. */
const endless = ['streamNotifications', 'streamChanges'];
/** Operations whose examples name a newcomer's account, which this test does not have. */
const ofNewcomer = ['createUser', 'createToken', 'getUser', 'updateUser', 'getUserByEmail', 'deleteUser'];

test('every example works unchanged against the echo app, in the order of the page', async () => {
  const caller = await newAccount(url);
  const { email } = (await caller.request<{ email: string }>('GET', '/api/users/me')).body;
  // A second sign-in. It is the newest, so it is listed first, and the example of `endSignIn` ends it.
  await caller.request('POST', '/api/auth/token', { email, password: 'correct horse battery' });
  // Whether there is a notification already depends on a run in the background.
  const ids = new Map([['readNotification', '2000000000']]);
  const rank = ({ operationId }: Route) => last.indexOf(operationId);
  const sorted = routes
    .filter(({ operationId }) => ![...endless, ...ofNewcomer, 'deleteUserByEmail'].includes(operationId))
    .toSorted((a, b) => rank(a) - rank(b));
  const section = ({ tags }: Route) => document.tags.findIndex(({ name }) => name === tags[0]);
  const inOrder = sorted.toSorted((a, b) => (rank(a) >= 0 || rank(b) >= 0 ? 0 : section(a) - section(b)));
  for (const route of inOrder) {
    const answer = await sendExample(caller, route, ids);
    const expected = expectedOf(route);
    expect(`${route.operationId} ${answer.status} ${answer.status === expected ? '' : answer.text}`).toBe(
      `${route.operationId} ${expected} `,
    );
    if (route.operationId === 'createAgent')
      ids.set('agent_id', (JSON.parse(answer.text) as { agent_id: string }).agent_id);
    if (route.operationId === 'startRun')
      ids.set('invocation_id', (JSON.parse(answer.text) as { invocationId: string }).invocationId);
    if (route.operationId === 'listSignIns') ids.set('endSignIn', firstId(answer.text));
    if (route.operationId === 'createSavedKey') {
      const { api_key_id: id } = JSON.parse(answer.text) as { api_key_id: string };
      for (const name of savedKeyOperations) ids.set(name, id);
    }
    if (route.operationId === 'createPersonalToken')
      ids.set('revokePersonalToken', (JSON.parse(answer.text) as { id: string }).id);
  }
});

test('a newcomer’s account can be created, used and deleted with the examples', async () => {
  const newcomer = new Caller(url);
  const ids = new Map<string, string>();
  for (const operationId of [...ofNewcomer, 'createUser', 'createToken', 'deleteUserByEmail']) {
    const route = routes.find((one) => one.operationId === operationId);
    if (route === undefined) throw new Error(`${operationId} is not in the document`);
    const answer = await sendExample(newcomer, route, ids);
    expect(`${operationId} ${answer.status}`).toBe(`${operationId} ${expectedOf(route)}`);
    const body = answer.text === '' ? {} : (JSON.parse(answer.text) as { user_id?: number; access_token?: string });
    // This account is not the first one of the mesh, so the id `1` of the example belongs to another account.
    if (body.user_id !== undefined) for (const id of ofNewcomer) ids.set(id, String(body.user_id));
    newcomer.token = body.access_token ?? newcomer.token;
  }
});

function expectedOf({ operationId, responses }: Route): number {
  return unknowable[operationId] ?? Number(Object.keys(responses).find((status) => status.startsWith('2')));
}

function firstId(list: string): string {
  return (JSON.parse(list) as { id: string }[])[0]?.id ?? '';
}

async function sendExample(
  caller: Caller,
  route: Route,
  ids: ReadonlyMap<string, string>,
): Promise<{ status: number; text: string }> {
  const { method, operationId } = route;
  const parameters = route.parameters?.filter((parameter) => parameter.in === 'path') ?? [];
  const path = parameters.reduce((text, { name, example }) => {
    const isNamed = ['id', 'agent_id', 'invocation_id'].includes(name);
    const value = isNamed ? (ids.get(name === 'id' ? operationId : name) ?? example ?? 'unknown') : example;
    expect({ operationId, name, value }).toHaveProperty('value', expect.anything());
    return text.replace(`{${name}}`, encodeURIComponent(String(value)));
  }, route.path);
  const response = await sendBody(caller, `${method} ${path}`, route);
  return { status: response.status, text: await response.text() };
}

/** Sends the example's body with its media type. */
function sendBody(caller: Caller, target: string, route: Route): Promise<Response> {
  const [method = '', path = ''] = target.split(' ');
  const yaml = route.requestBody?.content['application/yaml'];
  if (yaml === undefined) return caller.fetch(method, path, exampleBody(route));
  const headers = { authorization: `Bearer ${caller.token}`, 'content-type': 'application/yaml' };
  return fetch(url + path, { method, headers, body: String(yaml.example) });
}

function exampleBody({ operationId, requestBody }: Route): unknown {
  const json = requestBody?.content['application/json'];
  if (json === undefined) return requestBody === undefined ? undefined : 'bytes';
  expect({ operationId, ...json }).toHaveProperty('example');
  return json.example;
}
