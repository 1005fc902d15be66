import { once } from 'node:events';
import { MeshError } from '@agentmesh/lib/rpc';
import type { RunRequest, RunResponse, RunResponseSchema } from '@agentmesh/proto/runs/v1';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { WebSocket } from 'ws';
import type { Edge, EdgeOptions } from '../edge.ts';

type Step = MessageInitShape<typeof RunResponseSchema>;

const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));
const accepted = (invocationId = 'e-1'): Step => ({ kind: { case: 'accepted', value: { invocationId } } });
const event = (json: object, partial = false): Step => ({
  kind: { case: 'event', value: { json: bytes(json), partial } },
});
export const textOf = ({ messageJson }: RunRequest) =>
  (JSON.parse(Buffer.from(messageJson).toString()) as { parts?: { text?: string }[] }).parts?.[0]?.text ?? '';

/** Answers each message with a partial and a whole event that repeat it. `fail` fails; `slow` never ends. */
export async function* echo(request: RunRequest, signal: AbortSignal): AsyncGenerator<Step> {
  const text = textOf(request);
  if (text === 'refused') throw new MeshError('invalid_argument', 'message_invalid', 'No parts in the new_message.');
  if (text === 'gone') throw new MeshError('not_found', 'session_not_found', 'Session not found');
  yield accepted(`e-${text}`);
  yield event({ text: text.slice(0, 1), partial: true }, true);
  if (text === 'slow') await once(signal, 'abort');
  if (text === 'fail') yield { kind: { case: 'failure', value: { type: 'ValueError', message: 'ü'.repeat(200) } } };
  else yield event({ text });
}

export function servicesOf(
  run: (request: RunRequest, signal: AbortSignal) => AsyncGenerator<Step> = echo,
): EdgeOptions {
  return {
    runs: {
      run: (request, { signal }) => run(request, signal) as AsyncGenerator<RunResponse>,
      getAppGraph: ({ appName }) => {
        if (appName === 'shop') return { json: bytes({ root_agent: { name: 'clerk' } }) };
        throw new MeshError('not_found', 'app_not_found', `No root_agent found for '${appName}'`);
      },
    },
    sessions: {
      getSession: async function* ({ session }) {
        if (session?.sessionId !== 's') throw new MeshError('not_found', 'session_not_found', 'Session not found');
        yield {};
      },
    },
  };
}

export const place = 'app_name=shop&user_id=u&session_id=s';
export const content = (text: string) => JSON.stringify({ content: { role: 'user', parts: [{ text }] } });

interface Frame {
  readonly text?: string;
  readonly turnComplete?: boolean;
  readonly author?: string;
}

export interface Client {
  readonly socket: WebSocket;
  readonly frames: Frame[];
  readonly closed: Promise<[code: number, reason: string]>;
  turns(count: number): Promise<void>;
}

export interface Dial {
  readonly query?: string;
  readonly headers: Record<string, string>;
  readonly protocols?: string[];
  /** Whether it answers pings. */
  readonly autoPong?: boolean;
}

/** Opens a live connection. */
export function dial(of: Edge, { query = place, headers, protocols = [], autoPong = true }: Dial): Client {
  const socket = new WebSocket(`${of.url.replace('http', 'ws')}/run_live?${query}`, protocols, { headers, autoPong });
  const frames: Frame[] = [];
  socket.on('message', (data: Buffer) => frames.push(JSON.parse(data.toString()) as Frame));
  const closed = once(socket, 'close').then(([code, reason]): [number, string] => [code as number, String(reason)]);
  closed.catch(() => undefined);
  const turns = async (count: number) => {
    while (frames.filter((frame) => frame.turnComplete === true).length < count) await once(socket, 'message');
  };
  return { socket, frames, closed, turns };
}

export async function say(client: Client, ...messages: (string | Buffer)[]): Promise<void> {
  if (client.socket.readyState === WebSocket.CONNECTING) await once(client.socket, 'open');
  for (const message of messages) client.socket.send(message);
}
