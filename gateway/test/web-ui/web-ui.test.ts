import { request as rawRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { MeshError } from '@agentmesh/lib/rpc';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountId, type Answer, type Edge, type EdgeOptions, type SendOptions, startEdge, token } from '../edge.ts';

const signInId = '7d0c2f3e-52d4-4a56-9a1c-1d3f3f9c0001';
const ended: string[] = [];

const services: EdgeOptions = {
  auth: {
    signIn: async ({ password }) => {
      if (password === 'right') return { accessToken: await token({ sid: signInId }) };
      throw new MeshError('unauthenticated', 'invalid_credentials', 'Invalid email or password');
    },
    endSignIn: ({ id }) => {
      ended.push(id);
      return {};
    },
  },
  runs: {
    listApps: () => ({ apps: [{ name: 'shop' }] }),
  },
  sessions: {
    deleteSession: () => ({}),
  },
};

const session = '/apps/shop/users/u/sessions/s';
let edge: Edge;
let origin: string;

beforeAll(async () => {
  edge = await startEdge({ ...services, env: { ADK_WEB_UI: 'true' } });
  origin = edge.url;
});
afterAll(() => edge[Symbol.asyncDispose]());

/** Sends a request like a browser, without a token. Does not follow redirects. */
function visit(path: string, { headers, ...options }: SendOptions = {}): Promise<Answer> {
  return edge.send(path, { ...options, redirect: 'manual', headers: { authorization: null, ...headers } });
}

function submit(path: string, fields: Record<string, string>, headers: SendOptions['headers'] = { origin }) {
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  return visit(path, { text: new URLSearchParams(fields).toString(), headers: { ...form, ...headers } });
}

const signIn = (over: Record<string, string> = {}) =>
  submit('/dev-ui/sign-in', { email: 'a@example.com', password: 'right', ...over });
const cookieOf = ({ headers }: Answer) => (headers.get('set-cookie') ?? '').split(';')[0] ?? '';

describe('the web UI', () => {
  it('is absent unless it is switched on', async () => {
    await using plain = await startEdge({ ...services, env: { CONSOLE: 'false' } });
    const paths = ['/', '/dev-ui', '/dev-ui/', '/dev-ui/sign-in', '/dev-ui/config', '/config/telemetry'];
    for (const path of [...paths, '/dev/apps/shop/build_graph', '/dev/apps/shop/eval_sets']) {
      expect([path, (await plain.send(path)).status]).toEqual([path, 404]);
    }
    const cookie = cookieOf(await signIn());
    expect((await plain.send('/list-apps', { headers: { authorization: null, cookie } })).status).toBe(401);
  });

  it.each(['/', '/dev-ui'])('is where %s leads', async (path) => {
    const answer = await visit(path);
    expect([answer.status, answer.headers.get('location')]).toEqual([307, '/dev-ui/']);
  });

  it('sends visitors to the sign-in and back to the page they asked for', async () => {
    const asked = await visit('/dev-ui/?app=shop&session=%0a1');
    expect([asked.status, asked.headers.get('location')]).toEqual([
      303,
      '/dev-ui/sign-in?next=%3Fapp%3Dshop%26session%3D%250a1',
    ]);
    const form = await visit(asked.headers.get('location') ?? '');
    expect(form.text).toContain('name="next" value="?app=shop&amp;session=%0a1"');
    const back = await signIn({ next: '?app=shop&session=%0a1' });
    expect([back.status, back.headers.get('location')]).toEqual([303, '/dev-ui/?app=shop&session=%0A1']);
  });

  it.each(['https://evil.example', '//evil.example', '?\r\nset-cookie: a=b', '/../../', '\\evil'])(
    'never leads from the sign-in to %j',
    async (next) => {
      const { status, headers } = await signIn({ next });
      expect(status).toBe(303);
      expect(new URL(headers.get('location') ?? '', origin).href).toMatch(`${origin}/dev-ui/?`);
      expect(headers.getSetCookie()).toHaveLength(1);
    },
  );

  it('is the installed bundle without content of other hosts, under a policy that allows only its scripts', async () => {
    const { status, text: page, headers } = await visit('/dev-ui/', { headers: { cookie: cookieOf(await signIn()) } });
    expect(status).toBe(200);
    expect(page).toContain('<app-root>');
    expect(page).not.toMatch(/https?:\/\/(?!www\.apache\.org)/);
    expect(headers.get('cache-control')).toBe('no-store');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/script-src[^;]*'unsafe-(inline|eval)'/);
    const scripts = Array.from(page.matchAll(/<script[^>]*src="\.\/([^"]+)"/g), ([, name]) => name);
    expect(scripts.length).toBeGreaterThan(2);
    for (const name of scripts) {
      const script = await visit(`/dev-ui/${name}`);
      expect([name, script.status, script.headers.get('content-type')]).toEqual([
        name,
        200,
        'application/javascript; charset=utf-8',
      ]);
    }
    const main = await visit(`/dev-ui/${scripts.find((name) => name?.startsWith('main-'))}`);
    expect(main.headers.get('cache-control')).toContain('immutable');
    for (const name of ['icons/material-symbols-outlined.woff2', 'form.css', 'session.css', 'prism-dark.css']) {
      expect([name, (await visit(`/dev-ui/${name}`)).status]).toEqual([name, 200]);
    }
  });

  it('keeps the strict policy of all other routes', async () => {
    const strict = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
    for (const path of ['/health', '/list-apps', '/dev/apps/shop/build_graph', '/nowhere']) {
      expect((await edge.send(path)).headers.get('content-security-policy')).toBe(strict);
    }
  });

  it('calls the origin that served it', async () => {
    const answer = await visit('/dev-ui/assets/config/runtime-config.json');
    expect([answer.body, answer.headers.get('cache-control')]).toEqual([{ backendUrl: '' }, 'no-store']);
  });

  it.each([
    '/dev-ui/../package.json',
    '/dev-ui/../../../package.json',
    '/dev-ui/%2e%2e/%2e%2e/package.json',
    '/dev-ui/..%2f..%2fpackage.json',
    '/dev-ui/..%5c..%5cpackage.json',
    '/dev-ui/icons/../package.json',
    '/dev-ui/icons/package.json',
    '/dev-ui/icons/%2e%2e/%2e%2e/@google/adk-devtools/package.json',
    '/dev-ui//etc/passwd',
    '/dev-ui/%00',
    '/dev-ui/.version',
    '/dev-ui/%c0%ae%c0%ae/package.json',
  ])('gives nothing away at %s', async (path) => {
    const { promise, resolve, reject } = Promise.withResolvers<[number, string]>();
    rawRequest(origin, { path, agent: false }, (response) => {
      text(response).then((body) => resolve([response.statusCode ?? 0, body]), reject);
    }).end();
    const [status, body] = await promise;
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(JSON.parse(body)).toEqual({ detail: expect.any(String) });
  });
});

describe('signing in to the web UI', () => {
  it('shows the error and the typed address, escaped, and never the password', async () => {
    const answer = await submit('/dev-ui/sign-in', { email: '"><script>', password: 'wrong' });
    expect([answer.status, cookieOf(answer)]).toEqual([401, '']);
    expect(answer.text).toContain('<p role="alert" id="fault">Invalid email or password</p>');
    expect(answer.text).toContain('value="&quot;&gt;&lt;script&gt;"');
    expect(answer.text).not.toContain('wrong"');
    expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'self'/);
  });

  it('sets a cookie that is HttpOnly and SameSite=Strict', async () => {
    const answer = await signIn();
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/dev-ui/']);
    expect(answer.headers.get('set-cookie')).toMatch(/^agentmesh=[\w.-]+; Path=\/; HttpOnly; SameSite=Strict$/);
  });

  it('sets a secure cookie if the public address is https', async () => {
    await using secure = await startEdge({
      ...services,
      env: { ADK_WEB_UI: 'true', PUBLIC_BASE_URL: 'https://mesh.example' },
    });
    const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://mesh.example' };
    const form = { text: 'email=a@example.com&password=right', headers, redirect: 'manual' } as const;
    const answer = await secure.send('/dev-ui/sign-in', form);
    expect(answer.headers.get('set-cookie')).toMatch(/^__Host-agentmesh=[^;]+; .*Path=\/; .*Secure/);
  });

  it.each([{}, { origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }, { origin: 'null' }])(
    'is refused to a form of another page: %j',
    async (headers) => {
      const answer = await submit('/dev-ui/sign-in', { email: 'a@example.com', password: 'right' }, headers);
      expect([answer.status, cookieOf(answer)]).toEqual([403, '']);
    },
  );

  it('counts failures as other sign-ins do, and shows the refusal on the page', async () => {
    await using limited = await startEdge({
      ...services,
      env: { ADK_WEB_UI: 'true', RATE_LIMIT_SIGN_IN_ACCOUNT_BURST: '1' },
    });
    const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: limited.url };
    const form = { text: 'email=a@example.com&password=wrong', headers, redirect: 'manual' } as const;
    expect((await limited.send('/dev-ui/sign-in', form)).status).toBe(401);
    const refused = await limited.send('/dev-ui/sign-in', form);
    expect([refused.status, refused.text]).toEqual([429, expect.stringContaining('role="alert"')]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('ends at sign-out, for copies of the cookie too', async () => {
    const cookie = cookieOf(await signIn());
    expect((await submit('/dev-ui/sign-out', {}, { cookie })).status).toBe(403);
    expect(ended).toEqual([]);
    const answer = await submit('/dev-ui/sign-out', {}, { cookie, origin });
    expect(ended).toEqual([signInId]);
    expect(answer.headers.get('location')).toBe('/dev-ui/sign-in');
    expect(answer.headers.get('set-cookie')).toMatch(/^agentmesh=; Max-Age=0; /);
  });
});

describe('the cookie of the web UI', () => {
  let cookie: string;
  beforeAll(async () => {
    cookie = cookieOf(await signIn());
  });

  it('opens the routes of the account, but none that needs the password', async () => {
    expect((await visit('/list-apps', { headers: { cookie } })).body).toEqual(['shop']);
    expect((await visit('/version', { headers: { cookie } })).status).toBe(200);
    expect((await visit('/api/auth/sessions', { headers: { cookie } })).status).not.toBe(401);
    const json = { name: 'mine', scopes: ['runs:read'] };
    const headers = { cookie, origin };
    expect(await visit('/api/auth/tokens', { json, headers })).toMatchObject({
      status: 403,
      body: { code: 'password_required' },
    });
    expect((await visit('/api/auth/sessions', { method: 'DELETE', headers: { cookie } })).status).toBe(403);
  });

  it('is accepted if the runtime is open, and needed on other routes', async () => {
    const seen: string[] = [];
    await using open = await startEdge({
      ...services,
      sessions: { deleteSession: ({ session: key }) => (seen.push(key?.accountId ?? ''), {}) },
      env: { ADK_WEB_UI: 'true', RUNTIME_AUTH: 'open' },
    });
    const remove = (headers: SendOptions['headers']) =>
      open.send(session, { method: 'DELETE', headers: { authorization: null, ...headers } });
    await remove({});
    await remove({ cookie, origin: open.url });
    expect(seen).toEqual(['00000000-0000-0000-0000-000000000000', accountId]);
    expect((await remove({ cookie: 'agentmesh=x', origin: open.url })).status).toBe(401);
    expect((await open.send('/dev-ui/', { headers: { authorization: null }, redirect: 'manual' })).status).toBe(303);
  });

  it('is not accepted as a token, nor a token as the cookie', async () => {
    const authorization = `Bearer ${cookie.slice(cookie.indexOf('=') + 1)}`;
    expect((await visit('/list-apps', { headers: { authorization } })).status).toBe(401);
    expect((await visit('/list-apps', { headers: { cookie: `agentmesh=${await token({})}` } })).status).toBe(401);
    const typed = await token({ type: 'browser' });
    expect((await visit('/list-apps', { headers: { cookie: `agentmesh=${typed}` } })).status).toBe(401);
    for (const value of ['x', '', '%E0%A4%A', '"', 'a.b.c', `${'a'.repeat(3_000)}.b.c`]) {
      const headers = { cookie: `other=1; agentmesh=${value}; ;=;` };
      expect([value, (await visit('/list-apps', { headers })).status]).toEqual([value, 401]);
      expect([value, (await visit('/dev-ui/', { headers })).status]).toEqual([value, 303]);
    }
  });

  it.each([{}, { 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }, { 'sec-fetch-site': 'none' }])(
    'changes nothing unless the browser says that our own page asks: %j',
    async (proof) => {
      const answer = await visit(session, { method: 'DELETE', headers: { cookie, ...proof } });
      expect([answer.status, answer.body]).toEqual([403, { detail: expect.stringContaining('Forbidden') }]);
    },
  );

  it('allows changes only to pages of this origin', async () => {
    for (const proof of [{ origin }, { 'sec-fetch-site': 'same-origin' }]) {
      const answer = await visit(session, { method: 'DELETE', headers: { cookie, ...proof } });
      expect([answer.status, answer.body]).toEqual([200, null]);
    }
  });

  it('is not accepted from pages of allowed origins, which have tokens', async () => {
    await using shared = await startEdge({
      ...services,
      env: { ADK_WEB_UI: 'true', CORS_ALLOWED_ORIGINS: 'https://app.example' },
    });
    const headers = { authorization: null, cookie, origin: 'https://app.example' };
    expect((await shared.send('/list-apps', { headers })).status).toBe(403);
    expect((await shared.send('/list-apps', { headers: { ...headers, authorization: '' } })).status).toBe(401);
  });
});
