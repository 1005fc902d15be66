import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { Caller } from '../../caller.ts';
import { root } from '../../deployed-settings.ts';
import { hasPython, installPython } from '../../python-client.ts';

const run = promisify(execFile);
const bin = (name: string): string => join(root, 'node_modules', '.bin', name);
const password = 'correct horse battery staple';

let folder: string;
let email: string;
beforeAll(async () => {
  // Within the repository, where TypeScript finds the types of Node.
  folder = await mkdtemp(join(root, 'test', '.clients-'));
  email = `${randomUUID()}@example.com`;
  const account = { email, password, first_name: 'Ada', last_name: 'L' };
  const made = await new Caller(inject('meshUrl')).request('POST', '/api/users/', account);
  if (made.status !== 201) throw new Error(`sign-up failed: ${made.status}`);
});
afterAll(() => rm(folder, { recursive: true }));

/** Signs in, runs and streams with nothing but the types that openapi-typescript has made of the description. */
const program = `
import type { components, paths } from './api.ts';

const [, , url = '', email = '', password = ''] = process.argv;
type Post<P extends keyof paths> = paths[P] extends { post: { requestBody?: { content: { 'application/json': infer B } } } } ? B : never;
type Answer<P extends keyof paths> = paths[P] extends { post: { responses: { 200: { content: { 'application/json': infer A } } } } } ? A : never;

const send = (path: string, body: object, token = '') =>
  fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token !== '' && { authorization: 'Bearer ' + token }) },
    body: JSON.stringify(body),
  });

const signIn: Post<'/api/auth/token'> = { email, password };
const { access_token: token } = (await (await send('/api/auth/token', signIn)).json()) as Answer<'/api/auth/token'>;
const created = await send('/apps/echo/users/u/sessions', {}, token);
const session = (await created.json()) as components['schemas']['Session'];
const request: Post<'/run'> = { appName: 'echo', userId: 'u', sessionId: session.id, newMessage: { parts: [{ text: 'one two' }] },
  streaming: false };
const events = (await (await send('/run', request, token)).json()) as Answer<'/run'>;
console.log('run', events.at(-1)?.content?.parts?.[0]?.text);
const streamed: Post<'/run_sse'> = { ...request, streaming: true };
for (const line of (await (await send('/run_sse', streamed, token)).text()).split('\\n')) {
  if (!line.startsWith('data: ')) continue;
  const event = JSON.parse(line.slice(6)) as components['schemas']['Event'];
  console.log('event', event.partial, event.content?.parts?.[0]?.text);
}
`;
const told = ['run one two', 'event true one ', 'event true two', 'event false one two', ''].join('\n');

test('openapi-typescript makes types of the whole API that compile strictly, and sign in, run and stream', async () => {
  const [file, types] = [join(folder, 'client.ts'), join(folder, 'api.ts')];
  const generator = join(root, 'sdk', 'typescript', 'node_modules', '.bin', 'openapi-typescript');
  await run(generator, [`${inject('meshUrl')}/openapi.json`, '--output', types]);
  await writeFile(file, program);
  const options = ['--strict', '--noEmit', '--target', 'esnext', '--module', 'nodenext', '--types', 'node'];
  await run(bin('tsc'), ['--ignoreConfig', '--allowImportingTsExtensions', ...options, file], {
    cwd: join(root, 'test'),
  });
  const { stdout } = await run(process.execPath, [file, inject('meshUrl'), email, password]);
  expect(stdout).toBe(told);
});

/** The types that the generator does not know, as its own documentation says. */
const config = `
content_type_overrides: {application/yaml: application/octet-stream, text/event-stream: text/plain, application/x-ndjson: text/plain}
post_hooks: []
`;
const script = `
import json, sys
from meshclient import AuthenticatedClient, Client
from meshclient.api.accounts import create_token
from meshclient.api.runs import run_agent
from meshclient.api.sessions import create_session
from meshclient.models import Content, CreateSessionRequest, Event, Part, RunAgentRequest, Session, SignInRequest, Token

url, email, password = sys.argv[1:]
token = create_token.sync(client=Client(base_url=url), body=SignInRequest(email=email, password=password))
assert isinstance(token, Token)
client = AuthenticatedClient(base_url=url, token=token.access_token)
session = create_session.sync("echo", "u", client=client, body=CreateSessionRequest())
assert isinstance(session, Session)

def text_of(event: Event) -> object:
    return event.to_dict()["content"]["parts"][0]["text"]

message = Content(parts=[Part(text="one two")])
request = RunAgentRequest(app_name="echo", user_id="u", session_id=session.id, new_message=message)
events = run_agent.sync(client=client, body=request)
assert isinstance(events, list)
print("run", text_of(events[-1]))
request.streaming = True
with client.get_httpx_client().stream("POST", "/run_sse", json=request.to_dict()) as answer:
    for line in answer.iter_lines():
        if line.startswith("data: "):
            event = Event.from_dict(json.loads(line[6:]))
            print("event", str(event.partial).lower(), text_of(event))
`;

test.skipIf(!hasPython)(
  'openapi-python-client makes a client of the whole API that mypy accepts, and that signs in, runs and streams',
  async () => {
    const python = await installPython(join(folder, 'venv'), 'openapi-python-client==0.29.1', 'mypy==2.4.1');
    await writeFile(join(folder, 'config.yaml'), config);
    await writeFile(join(folder, 'use.py'), script);
    const generated = [
      '--meta',
      'none',
      '--output-path',
      join(folder, 'meshclient'),
      '--config',
      join(folder, 'config.yaml'),
    ];
    const url = `${inject('meshUrl')}/openapi.json`;
    const made = await run(python, [
      '-m',
      'openapi_python_client',
      'generate',
      '--fail-on-warning',
      '--url',
      url,
      ...generated,
    ]);
    expect(made.stdout).not.toContain('WARNING');
    await run(python, ['-m', 'mypy', '--check-untyped-defs', 'use.py', 'meshclient'], { cwd: folder });
    const { stdout } = await run(python, ['use.py', inject('meshUrl'), email, password], { cwd: folder });
    expect(stdout).toBe(told);
  },
  600_000,
);
