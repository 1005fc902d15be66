import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { demand, demandKeys, isObject, parseObject, Refusal } from './demand.ts';

/** A finalization request that passed the fake's checks. */
export interface Finalized {
  /** Resource name: `v1alpha/projects/…/connectors/…` or `v1/projects/…/authProviders/…` */
  readonly resource: string;
  readonly userId: string;
  /** The decoded value. */
  readonly validationState: string;
  readonly consentNonce: string;
}

/** The fake's reply to a finalization, if not success. */
export type CredentialAnswer =
  | { readonly status: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }
  /** A long-running operation that is done after this many polls, with an error or without. */
  | {
      readonly polls: number;
      readonly error?: { readonly code: number; readonly message: string };
      /** Name of the operation; one of its project when left out. */
      readonly name?: string;
    }
  | 'hang'
  | 'break';

export interface FakeGoogleCredentials extends AsyncDisposable {
  /** Value for `IAM_CONNECTOR_BASE_URL` and `AGENT_IDENTITY_BASE_URL`. */
  readonly baseUrl: string;
  /** Value for `GCE_METADATA_HOST`: the same server gives access tokens like the metadata server of a machine. */
  readonly metadataHost: string;
  readonly finalized: readonly Finalized[];
  /** Number of access tokens given. */
  readonly tokens: number;
  answer(...answers: readonly CredentialAnswer[]): void;
  /** `false`: the metadata server refuses to give tokens. */
  giveTokens(gives: boolean): void;
}

const accessToken = 'ya29.fake';
const finalizePath =
  /^\/(v1alpha\/projects\/[^/]+\/locations\/[^/]+\/connectors\/[^/]+|v1\/projects\/[^/]+\/locations\/[^/]+\/authProviders\/[^/]+)\/credentials:finalize$/;
const operationPath = /^\/(?:v1alpha|v1)\/((?:projects\/p\/locations\/l\/)?operations\/[\w.~-]+)$/;

/** Starts a fake of Google's IAM connector and agent identity credential services. It accepts each nonce once. */
export async function startFakeGoogleCredentials(): Promise<FakeGoogleCredentials> {
  const state = new State();
  const server = createServer((request, response) => {
    void text(request).then(
      (body) => {
        if (request.url?.startsWith('/computeMetadata/') === true || request.url === '/')
          state.metadata(request, response);
        else state.serve(request, response, body);
      },
      () => undefined,
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const metadataHost = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    baseUrl: `http://${metadataHost}`,
    metadataHost,
    finalized: state.finalized,
    get tokens() {
      return state.tokens;
    },
    answer: (...answers) => void state.answers.push(...answers),
    giveTokens: (gives) => {
      state.givesTokens = gives;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Operation {
  polls: number;
  readonly error: { readonly code: number; readonly message: string } | undefined;
}

class State {
  readonly finalized: Finalized[] = [];
  readonly answers: CredentialAnswer[] = [];
  tokens = 0;
  givesTokens = true;
  readonly #operations = new Map<string, Operation>();

  metadata({ url = '', headers }: IncomingMessage, response: ServerResponse): void {
    response.setHeader('metadata-flavor', 'Google');
    if (headers['metadata-flavor'] !== 'Google') return send(response, 403, {});
    if (!url.startsWith('/computeMetadata/v1/instance/service-accounts/default/token')) return send(response, 200, {});
    if (!this.givesTokens) return send(response, 403, { error: 'access_denied' });
    this.tokens += 1;
    send(response, 200, { access_token: accessToken, expires_in: 3599, token_type: 'Bearer' });
  }

  serve(request: IncomingMessage, response: ServerResponse, body: string): void {
    const answer = this.answers.shift();
    if (answer === 'hang') return;
    if (answer === 'break') return void response.destroy();
    try {
      demand(request.headers.authorization === `Bearer ${accessToken}`, 'Request had invalid credentials.', 401);
      const polled = operationPath.exec(request.url ?? '')?.[1];
      if (polled !== undefined) return this.#poll(polled, response);
      const finalized = readFinalization(request, body);
      demand(!this.#isUsed(finalized.consentNonce), 'The consent nonce was used before.', 409);
      if (answer !== undefined && 'status' in answer) return send(response, answer.status, answer.body, answer.headers);
      this.finalized.push(finalized);
      if (answer === undefined) return send(response, 200, {});
      const { name = `projects/p/locations/l/operations/${this.#operations.size}` } = answer;
      this.#operations.set(name, { polls: answer.polls, error: answer.error });
      send(response, 200, { name, done: false });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { status: code, message } = error;
      send(response, code, { error: { code, message, status: statuses.get(code) } });
    }
  }

  #isUsed(nonce: string): boolean {
    return this.finalized.some(({ consentNonce }) => consentNonce === nonce);
  }

  #poll(name: string, response: ServerResponse): void {
    const operation = this.#operations.get(name);
    demand(operation !== undefined, 'Requested entity was not found.', 404);
    operation.polls -= 1;
    if (operation.polls > 0) return send(response, 200, { name, done: false });
    const { error } = operation;
    send(response, 200, { name, done: true, ...(error === undefined ? { response: {} } : { error }) });
  }
}

const statuses = new Map([
  [400, 'INVALID_ARGUMENT'],
  [401, 'UNAUTHENTICATED'],
  [404, 'NOT_FOUND'],
  [409, 'ALREADY_EXISTS'],
]);

function readFinalization({ method, url = '', headers }: IncomingMessage, text: string): Finalized {
  const resource = finalizePath.exec(url)?.[1];
  demand(method === 'POST' && resource !== undefined, 'Requested entity was not found.', 404);
  demand(headers['content-type']?.startsWith('application/json') === true, 'Invalid content type.');
  const body = parseObject(text, 'Invalid JSON payload received.');
  const known = 'userId userIdValidationState consentNonce';
  demandKeys(body, known, (key) => `Invalid JSON payload received. Unknown name "${key}": Cannot find field.`);
  const { userId, userIdValidationState: state, consentNonce } = body;
  demand(isObject(body) && typeof userId === 'string' && userId !== '', 'user_id is required.');
  demand(typeof consentNonce === 'string' && consentNonce !== '', 'consent_nonce is required.');
  const isBase64 = typeof state === 'string' && /^(?:[A-Za-z0-9+/]{4})+$|=$/.test(state) && state.length % 4 === 0;
  demand(isBase64, "Invalid value at 'user_id_validation_state' (TYPE_BYTES), Base64 decoding failed");
  return { resource, userId, validationState: Buffer.from(state, 'base64').toString(), consentNonce };
}

function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { ...headers, 'content-type': 'application/json' });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}
