import { randomUUID } from 'node:crypto';
import {
  type Message,
  type Part,
  Role,
  type SendMessageRequest,
  type StreamResponse,
  type Task,
  TaskState,
} from '@a2a-js/sdk';
import { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory } from '@a2a-js/sdk/client';
import type { JsonObject } from '@agentmesh/proto/event';
import type { Caller } from '../../caller.ts';

export const cardPath = (app: string) => `/a2a/${app}/.well-known/agent-card.json`;

/** `fetch` with the token of a caller. */
export function fetchOf({ token }: Caller, headers: Record<string, string> = {}): typeof fetch {
  return (input, init) => {
    const own = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return fetch(input, { ...init, headers: { ...(init?.headers as Record<string, string>), ...own, ...headers } });
  };
}

/** The official client of version 1.0, from the card of an app. */
export async function clientOf(by: Caller, app: string, headers: Record<string, string> = {}) {
  const fetchImpl = fetchOf(by, headers);
  const cardResolver = new DefaultAgentCardResolver({ fetchImpl });
  const factory = new ClientFactory({ transports: [new JsonRpcTransportFactory({ fetchImpl })], cardResolver });
  return factory.createFromUrl(by.url, cardPath(app));
}

export const textPart = (text: string): Part => ({
  content: { $case: 'text', value: text },
  metadata: undefined,
  filename: '',
  mediaType: '',
});

export function request(
  parts: string | Part[],
  { taskId = '', contextId = '', user, now = false }: Over = {},
): SendMessageRequest {
  const message: Message = {
    messageId: randomUUID(),
    role: Role.ROLE_USER,
    parts: typeof parts === 'string' ? [textPart(parts)] : parts,
    taskId,
    contextId,
    metadata: user === undefined ? undefined : { user },
    extensions: [],
    referenceTaskIds: [],
  };
  const configuration = { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately: now };
  return { tenant: '', message, configuration, metadata: undefined };
}

export interface Over {
  readonly taskId?: string;
  readonly contextId?: string;
  readonly user?: string;
  /** Does not wait for the end. */
  readonly now?: boolean;
}

export const words = (parts: readonly Part[] = []): string =>
  parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('');
export const answerOf = ({ artifacts }: Pick<Task, 'artifacts'>) =>
  artifacts.map(({ parts }) => words(parts)).join('|');
export const dataIn = (parts: readonly Part[] = []): JsonObject[] =>
  parts.flatMap(({ content }) => (content?.$case === 'data' ? [content.value as JsonObject] : []));

export type Client = Awaited<ReturnType<typeof clientOf>>;

export async function send(client: Client, ...args: Parameters<typeof request>): Promise<Task> {
  return (await client.sendMessage(request(...args))) as Task;
}

interface Folded {
  readonly task: Task;
  /** State behind each piece. */
  readonly states: TaskState[];
  /** Pieces of artifacts that are not their last ones. */
  readonly deltas: string[];
  /** Parts of all messages of the status. */
  readonly said: Part[];
}

/** A task as a client builds it of its stream. */
export async function fold(stream: AsyncIterable<StreamResponse> | Iterable<StreamResponse>): Promise<Folded> {
  const states: TaskState[] = [];
  const deltas: string[] = [];
  const said: Part[] = [];
  let task: Task | undefined;
  for await (const { payload } of stream) {
    if (payload?.$case === 'task') task = payload.value;
    if (payload?.$case === 'statusUpdate' && task !== undefined) {
      task.status = payload.value.status;
      said.push(...(payload.value.status?.message?.parts ?? []));
    }
    if (payload?.$case === 'artifactUpdate' && payload.value.artifact !== undefined && task !== undefined) {
      const { artifact, append } = payload.value;
      const known = task.artifacts.find(({ artifactId }) => artifactId === artifact.artifactId);
      if (known === undefined) task.artifacts.push(artifact);
      else known.parts = append ? [...known.parts, ...artifact.parts] : artifact.parts;
      if (payload.value.lastChunk !== true) deltas.push(words(artifact.parts));
    }
    states.push(task?.status?.state ?? TaskState.TASK_STATE_UNSPECIFIED);
  }
  if (task === undefined) throw new Error('the stream had no task');
  return { task, states, deltas, said };
}
