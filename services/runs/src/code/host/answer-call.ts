import type { LlmRequest, LlmResponse } from '@google/adk';
import type { AgentRunOptions } from '../../execution/agent-run.ts';
import type { Models } from '../../models/models.ts';
import { noteCaller } from '../../models/use/model-caller.ts';
import type { HostCall } from '../protocol.ts';

export interface CallOptions {
  readonly models: Models;
  readonly run: AgentRunOptions;
  readonly signal: AbortSignal;
  readonly onChunk: (response: LlmResponse) => void;
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

/** Answers a call of code: for its own session, user and app, and for a model with the keys and limits of the server. */
export async function answerCall(request: HostCall, options: CallOptions): Promise<unknown> {
  if (request.to === 'model') return askModel(request, options);
  const { to, method, args } = request;
  const service: object | undefined = to === 'artifacts' ? options.run.artifacts : options.run.memory;
  if (service === undefined || !methods[to].has(method)) throw new Error(`The service of ${to} is not initialized.`);
  const answer = Reflect.get(service, method) as (...values: readonly unknown[]) => Promise<unknown>;
  return answer.apply(service, [...args]);
}

type ModelCall = Extract<HostCall, { to: 'model' }>;

async function askModel(call: ModelCall, { models, run, signal, onChunk }: CallOptions): Promise<void> {
  const { model, contents, config, stream } = call;
  const { accountId = '', appName = '', userId = '' } = run.turn.session ?? {};
  const request: LlmRequest = { model, contents, config, toolsDict: {}, liveConnectConfig: {} };
  noteCaller(request, { accountId, appName, userId, invocationId: run.turn.invocationId });
  for await (const response of models.resolve(model).generateContentAsync(request, stream, signal)) onChunk(response);
}
