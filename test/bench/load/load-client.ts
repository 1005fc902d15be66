import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { LoadJob } from './load-job.ts';

const user = 'u1';
const greeting = 'Hello, mesh';
const artifactBody = {
  filename: 'report.txt',
  artifact: { inlineData: { mimeType: 'text/plain', data: Buffer.alloc(10_000, 'report ').toString('base64') } },
};

export interface LoadClient {
  /** Creates a session and returns its id. */
  createSession(events?: readonly object[]): Promise<string>;
  run(session: string): Promise<void>;
  /** Reads a streamed run to its end and returns the time at which its first event arrived. */
  firstEvent(session: string): Promise<number>;
  /** Reads a page of 100 sessions. */
  page(): Promise<void>;
  /** Saves a version of 10 kB of an artifact. */
  artifact(session: string): Promise<void>;
  /** Sends any other request, a GET without a body and a POST with one unless `method` is given, and returns the headers and the text of the answer. */
  request(path: string, body?: object, method?: string): Promise<{ headers: IncomingHttpHeaders; text: string }>;
}

/** Creates a client of the ADK API server's contract with keep-alive connections. It throws on any status that is no success. */
export function createClient(target: Pick<LoadJob, 'url' | 'app' | 'token' | 'connections' | 'text'>): LoadClient {
  const { app, token, text: said = greeting } = target;
  const agent = new Agent({ keepAlive: true, maxSockets: target.connections });
  const sessions = `/apps/${app}/users/${user}/sessions`;
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };

  return {
    createSession: async (events) => {
      const answer = await send(sessions, events?.length ? { events } : {});
      return (JSON.parse(await text(answer)) as { id: string }).id;
    },
    run: async (session) => void (await text(await send('/run', runBody(session)))),
    firstEvent: async (session) => {
      const answer = await send('/run_sse', { ...runBody(session), streaming: true });
      return firstEventOf(answer);
    },
    page: async () => void (await text(await send(`${sessions}?limit=100`))),
    artifact: async (session) => void (await text(await send(`${sessions}/${session}/artifacts`, artifactBody))),
    request: async (path, body, method) => {
      const answer = await send(path, body, method);
      return { headers: answer.headers, text: await text(answer) };
    },
  };

  function runBody(sessionId: string): object {
    return { appName: app, userId: user, sessionId, newMessage: { role: 'user', parts: [{ text: said }] } };
  }

  function send(path: string, body?: object, method = body === undefined ? 'GET' : 'POST'): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const payload = Buffer.from(body === undefined ? '' : JSON.stringify(body));
    const length = body === undefined ? {} : { 'content-length': payload.length };
    const sent = request(`${target.url}${path}`, { method, agent, headers: { ...headers, ...length } }, resolve);
    sent.once('error', reject);
    sent.end(payload);
    return promise;
  }
}

async function text(answer: IncomingMessage): Promise<string> {
  answer.setEncoding('utf8');
  let whole = '';
  for await (const chunk of answer) whole += chunk as string;
  if (Math.floor((answer.statusCode ?? 0) / 100) !== 2) throw new Error(`${answer.statusCode} ${whole.slice(0, 200)}`);
  return whole;
}

async function firstEventOf(answer: IncomingMessage): Promise<number> {
  if (answer.statusCode !== 200) throw new Error(await text(answer));
  answer.setEncoding('utf8');
  let first: number | undefined;
  for await (const chunk of answer) {
    if ((chunk as string).includes('"error"')) throw new Error(chunk as string);
    if ((chunk as string).includes('data: ')) first ??= performance.now();
  }
  if (first === undefined) throw new Error('the stream ended without an event');
  return first;
}

/** Events of a conversation with the no-op agent, for the start of a session. */
export function pastEvents(count: number): object[] {
  return Array.from({ length: count }, (_, index) => {
    const [author, role] = index % 2 === 0 ? ['user', 'user'] : ['echo', 'model'];
    return { author, invocationId: `e-${index >> 1}`, content: { role, parts: [{ text: greeting }] } };
  });
}
