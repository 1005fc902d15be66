import type { LlmRequest } from '@google/adk/core';
import type { GuardedFetch } from '@agentmesh/lib/outbound';
import type { AgentRunOptions } from '../../turns/agent-run.ts';
import type { Models } from '../../../models/models.ts';
import { noteCaller } from '../../../models/use/model-caller.ts';
import type { FetchAnswer, FetchCall, HostCall, McpServerCall, RemoteAgentCall } from '../protocol.ts';
import type { AppLinks } from './app-links.ts';

/** The services that code reaches through this process. */
export interface HostParts {
  readonly models: Models;
  readonly fetch: GuardedFetch;
  readonly links: AppLinks;
}

export interface CallOptions extends HostParts {
  readonly run: AgentRunOptions;
  readonly signal: AbortSignal;
  readonly onChunk: (piece: object) => void;
}

const methods = {
  artifacts: new Set([
    'saveArtifact',
    'loadArtifact',
    'listArtifactKeys',
    'deleteArtifact',
    'listVersions',
    'listArtifactVersions',
    'getArtifactVersion',
  ]),
  memory: new Set(['addSessionToMemory', 'searchMemory']),
};

/** Answers a call of code: for its own session, user and app, and for models, servers and agents with the keys and limits of this process. */
export async function answerCall(request: HostCall, options: CallOptions): Promise<unknown> {
  await options.run.lease?.hold();
  switch (request.to) {
    case 'model':
      return askModel(request, options);
    case 'fetch':
      return fetchPage(request, options);
    case 'mcp':
      return useServer(request, options);
    case 'agent':
      return askAgent(request, options);
    case 'artifacts':
    case 'memory':
      return useService(request, options);
  }
}

type ServiceCall = Extract<HostCall, { to: 'artifacts' | 'memory' }>;

async function useService({ to, method, args }: ServiceCall, { run }: CallOptions): Promise<unknown> {
  const service: object | undefined = to === 'artifacts' ? run.artifacts : run.memory;
  if (service === undefined || !methods[to].has(method)) throw new Error(`The service of ${to} is not initialized.`);
  const answer = Reflect.get(service, method) as (...values: readonly unknown[]) => Promise<unknown>;
  return answer.apply(service, [...args]);
}

type ModelCall = Extract<HostCall, { to: 'model' }>;

async function askModel(call: ModelCall, { models, run, signal, onChunk }: CallOptions): Promise<void> {
  const { model, contents, config, stream, mostRetries } = call;
  const { accountId = '', appName = '', userId = '' } = run.turn.session ?? {};
  const request: LlmRequest = { model, contents, config, toolsDict: {}, liveConnectConfig: {} };
  noteCaller(request, {
    accountId,
    appName,
    userId,
    invocationId: run.turn.invocationId,
    costs: run.costs,
    lease: run.lease,
    waits: run.waits,
  });
  for await (const response of models
    .resolve(model, undefined, mostRetries)
    .generateContentAsync(request, stream, signal))
    onChunk(response);
}

async function fetchPage(call: FetchCall, { fetch, run, signal }: CallOptions): Promise<FetchAnswer> {
  const { url, headers: sent, maxBodyBytes } = call;
  const response = await fetch(url, { headers: sent, maxBodyBytes, accountId: accountOfRun(run), signal });
  const { status, headers, body, truncated } = response;
  return { status, headers: [...headers], body, truncated };
}

function useServer({ server, state, tool }: McpServerCall, { links, run, signal }: CallOptions): Promise<unknown> {
  const link = links.mcp[server];
  if (link === undefined) throw new Error('The app names no such MCP server.');
  const use = { accountId: accountOfRun(run), state: (key: string) => state[key], signal, missing: run.missing };
  return tool === undefined ? link.listTools(use) : link.callTool(use, tool);
}

async function askAgent(call: RemoteAgentCall, { links, run, signal, onChunk }: CallOptions): Promise<void> {
  const { agent, events, state } = call;
  const link = links.agents.get(agent);
  if (link === undefined) throw new Error('The app names no such remote agent.');
  const ask = { accountId: accountOfRun(run), events, state: (key: string) => state[key], signal };
  for await (const reply of link.ask(ask)) onChunk(reply);
}

function accountOfRun({ turn }: AgentRunOptions): string {
  return turn.session?.accountId ?? '';
}
