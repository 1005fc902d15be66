import { Account, refresh, type RefreshCookie } from './resources/account.ts';
import { Agents } from './resources/agents.ts';
import { Apps } from './resources/apps.ts';
import { Artifacts } from './resources/artifacts.ts';
import { Changes } from './resources/changes.ts';
import { Integrations } from './resources/integrations.ts';
import { Keys } from './resources/keys.ts';
import { Memory } from './resources/memory.ts';
import { Notifications } from './resources/notifications.ts';
import { Schedules } from './resources/schedules.ts';
import { Tokens } from './resources/tokens.ts';
import { Usage } from './resources/usage.ts';
import { Webhooks } from './resources/webhooks.ts';
import { Sessions } from './resources/sessions.ts';
import { Runs } from './runs/runs.ts';
import type { Call } from './transport/call.ts';
import { Credentials, type TokenSource } from './transport/credentials.ts';
import { type CallAnswer, type CallInput, callOf, type MethodOf, type RoutePath } from './transport/typed-call.ts';
import { Transport, type TransportOptions } from './transport/transport.ts';

/** Options of a client. */
export interface AgentMeshOptions
  extends Partial<Pick<TransportOptions, 'cookies' | 'headers' | 'timeoutMs' | 'tries' | 'backoffMs'>> {
  /** Address of the server, such as `https://mesh.example`; in a page it may be left out for the page's own origin. */
  readonly url?: string | undefined;
  /**
   * A personal token or an access token, or a function that gets one, which is called again when the server refuses the token. Without it the client
   * signs in with `account.signIn`, or goes on with the cookie of a sign-in (`account.resume`).
   */
  readonly token?: TokenSource | undefined;
  /** In place of the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

const defaults = { cookies: 'same-origin', headers: {}, timeoutMs: 60_000, tries: 5, backoffMs: 200 } as const;

/**
 * Client of one Agent Mesh server.
 *
 * @example
 * ```ts
 * const mesh = new AgentMesh({ url: 'http://127.0.0.1:8000', token: process.env.TOKEN });
 * console.log((await mesh.apps.list()).includes('echo')); // true
 * ```
 */
export class AgentMesh {
  readonly account: Account;
  readonly agents: Agents;
  readonly apps: Apps;
  readonly runs: Runs;
  readonly sessions: Sessions;
  readonly artifacts: Artifacts;
  readonly changes: Changes;
  readonly integrations: Integrations;
  readonly keys: Keys;
  readonly memory: Memory;
  readonly notifications: Notifications;
  readonly schedules: Schedules;
  readonly tokens: Tokens;
  readonly usage: Usage;
  readonly webhooks: Webhooks;
  readonly #transport: Transport;

  constructor({ url = '', token, fetch: send, ...rest }: AgentMeshOptions = {}) {
    const options = { ...defaults, ...rest, url: url.replace(/\/+$/, ''), fetch: send ?? plainFetch };
    const cookie: RefreshCookie = { value: undefined };
    const anonymous = new Transport({
      ...options,
      credentials: new Credentials(undefined, () => Promise.resolve(undefined)),
    });
    const credentials = new Credentials(token, () => refresh(anonymous, cookie));
    const transport = new Transport({ ...options, credentials });
    this.#transport = transport;
    this.account = new Account({ transport, anonymous, cookie, onToken: (it) => credentials.set(it) });
    this.agents = new Agents(transport);
    this.apps = new Apps(transport);
    this.artifacts = new Artifacts(transport);
    this.changes = new Changes(transport);
    this.integrations = new Integrations(transport);
    this.keys = new Keys(transport);
    this.memory = new Memory(transport);
    this.notifications = new Notifications(transport);
    this.schedules = new Schedules(transport);
    this.tokens = new Tokens(transport);
    this.usage = new Usage(transport);
    this.webhooks = new Webhooks(transport);
    this.runs = new Runs(transport);
    this.sessions = new Sessions(transport);
  }

  /**
   * Sends a request of a route that has no verb here, with the types of the OpenAPI document:
   * `mesh.call('DELETE', '/api/auth/sessions/{id}', { path: { id } })`.
   */
  async call<Path extends RoutePath, Method extends MethodOf<Path>>(
    method: Method,
    path: Path,
    input: CallInput<Path, Method>,
  ): Promise<CallAnswer<Path, Method>> {
    return this.#transport.json(callOf(method, path, input));
  }

  /** Sends any request, as the verbs of this client do: for routes that have none. Answers the JSON of the answer. */
  request<T>(call: Call): Promise<T> {
    return this.#transport.json<T>(call);
  }

  /** Like `request`, with the entity tag of the answer for `If-Match`. */
  requestTagged<T>(call: Call): Promise<{ readonly record: T; readonly tag: string | undefined }> {
    return this.#transport.send(call, async (response) => ({
      record: (await response.json()) as T,
      tag: response.headers.get('etag') ?? undefined,
    }));
  }
}

/** Browsers refuse a `fetch` that is called as a method of another object. */
const plainFetch: typeof fetch = (...args) => fetch(...args);
