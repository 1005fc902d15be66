import { AgentMesh, PathValueError, type RoutePath } from '@agentmesh/client';
import { describeRoutes } from '@agentmesh/gateway';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

const sent: string[] = [];
const send = async (url: string): Promise<Response> => {
  sent.push(url);
  return Response.json({}, { status: 404 });
};
const mesh = new AgentMesh({ url: 'http://mesh.example', token: 't', fetch: send as typeof fetch });
const place = { app: 'echo', user: 'u' };
const none = [undefined, null, '', '.', '..'];

type Verb = (id: string) => unknown;

const verbs: Readonly<Record<string, Verb>> = {
  'account.endSignIn': (id) => mesh.account.endSignIn(id),
  'agents.delete': (id) => mesh.agents.delete(id),
  'apps.info': (app) => mesh.apps.info(app),
  'artifacts.delete': (name) => mesh.artifacts.delete({ ...place, session: 's' }, name),
  'integrations.disconnect': (provider) => mesh.integrations.disconnect(provider),
  'keys.delete': (id) => mesh.keys.delete(id),
  'memory.delete': (id) => mesh.memory.delete(place, id),
  'memory.list': (user) => mesh.memory.list({ app: 'echo', user }).all(),
  'notifications.read': (id) => mesh.notifications.read(id as never),
  'runs.get': (id) => mesh.runs.get(id),
  'runs.resendWebhook': (delivery) => mesh.runs.resendWebhook('e-1', delivery),
  'runs.stream': (user) => mesh.runs.stream({ app: 'echo', user, text: 'Hello' }).final(),
  'runs.watch': (id) => mesh.runs.watch(id).final(),
  'schedules.delete': (id) => mesh.schedules.delete(id),
  'sessions.delete': (session) => mesh.sessions.delete({ ...place, session }),
  'tokens.revoke': (id) => mesh.tokens.revoke(id),
  'usage.removeLimit': (period) => mesh.usage.removeLimit('account', period),
  'webhooks.retrigger': (id) => mesh.webhooks.retrigger(id),
};

/** Calls a verb at once, as a program does that has no `await` around it. */
function rejection(verb: () => unknown): Promise<unknown> {
  return Promise.resolve(verb()).then(
    () => 'it did not fail',
    (error: unknown) => error,
  );
}

describe.each(Object.entries(verbs))('%s', (name, verb) => {
  test.each(none)('sends nothing where the value of its path is %s, and rejects with what it got', async (value) => {
    sent.length = 0;
    const isSync = name === 'memory.list';
    const error = await rejection(isSync ? async () => verb(value as string) : () => verb(value as string));
    expect(error).toBeInstanceOf(PathValueError);
    expect(error).toBeInstanceOf(TypeError);
    expect((error as Error).message).toContain(String(JSON.stringify(value)));
    expect(sent).toEqual([]);
  });
});

test('the error tells where in the path the value belongs', async () => {
  await expect(mesh.tokens.revoke('')).rejects.toThrow('"" cannot be the last part of /api/auth/tokens/…');
  await expect(mesh.memory.delete(place, '.')).rejects.toThrow('of /apps/…/users/…/memory/…');
  const path = { id: '' };
  await expect(mesh.call('DELETE', '/api/auth/sessions/{id}', { path })).rejects.toThrow('of /api/auth/sessions/{id}');
});

test('a path of the description that is filled in keeps its form, whatever its values are, or nothing is sent', async () => {
  const document = (await describeRoutes()) as { paths: Record<string, object> };
  const paths = Object.keys(document.paths).filter((it) => it.includes('{'));
  expect(paths.length).toBeGreaterThan(40);
  const value = fc.oneof(fc.constantFrom(...none), fc.string({ unit: fc.constantFrom('.', '/', '%', 'a', '?', ' ') }));
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...paths),
      fc.array(value, { minLength: 4, maxLength: 4 }),
      async (path, values) => {
        sent.length = 0;
        const names = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);
        const given = Object.fromEntries(names.map((name, index) => [name, values[index]]));
        const error = await rejection(() => mesh.call('GET' as never, path as RoutePath, { path: given } as never));
        const isWhole = names.every((name) => !none.includes(given[name]));
        if (!isWhole) expect([error, sent]).toEqual([expect.any(PathValueError), []]);
        const filled = path.split('/').map((it) => it.replace(/\{(\w+)\}/g, (_, name: string) => String(given[name])));
        const asked = sent.map((url) => new URL(url).pathname.split('/').map(decodeURIComponent));
        if (isWhole) expect(asked).toEqual([filled]);
      },
    ),
    { numRuns: 1_000 },
  );
});
