import { randomUUID } from 'node:crypto';
import { type BaseEvent, HttpAgent, type RunAgentParameters } from '@ag-ui/client';
import type { Caller, SessionJson } from '../../caller.ts';

type Setting = Partial<ConstructorParameters<typeof HttpAgent>[0]>;

/** AG-UI's client in a page of the account, with a thread of its own. */
export function agentOf({ url, token }: Caller, app: string, { headers, ...setting }: Setting = {}): HttpAgent {
  const sent = { authorization: `Bearer ${token}`, ...headers };
  return new HttpAgent({ url: `${url}/agui/${app}`, threadId: randomUUID(), ...setting, headers: sent });
}

/** Runs the agent with a message, or without one, and returns the events. */
export async function run(agent: HttpAgent, text?: string, parameters: RunAgentParameters = {}) {
  if (text !== undefined) agent.addMessage({ id: randomUUID(), role: 'user', content: text });
  const events: BaseEvent[] = [];
  const onEvent = ({ event }: { event: BaseEvent }) => void events.push(event);
  const { newMessages } = await agent.runAgent(parameters, { onEvent });
  return { events, newMessages, types: events.map(({ type }) => String(type)) };
}

/** An input of a page without a client. */
export const inputOf = (over: object = {}) => ({
  threadId: randomUUID(),
  runId: randomUUID(),
  messages: [{ id: 'm', role: 'user', content: 'hi' }],
  ...over,
});

/** The text of a stream of events, which may end within one. */
export function saidIn(stream: string): string {
  const events = stream
    .split('\n\n')
    .slice(0, -1)
    .filter((frame) => frame.startsWith('data: '));
  const deltas = events.map((frame) => JSON.parse(frame.slice('data: '.length)) as { type: string; delta?: string });
  return deltas.map(({ type, delta }) => (type === 'TEXT_MESSAGE_CONTENT' ? delta : '')).join('');
}

export const pathOf = (agent: HttpAgent, app = 'echo') => `/apps/${app}/users/user/sessions/${agent.threadId}`;

/** The session of the agent's thread. */
export async function sessionOf(caller: Caller, app: string, agent: HttpAgent): Promise<SessionJson> {
  return (await caller.request<SessionJson>('GET', pathOf(agent, app))).body;
}
