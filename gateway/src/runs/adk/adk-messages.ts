import type { EventJson } from '@agentmesh/proto/event';

interface AdkMessage {
  readonly role: string;
  readonly content: string;
  readonly timestamp: number;
  readonly thinking?: string;
}

/** The texts of an event as one message of a chat; undefined when it has none. */
export function adkMessage(json: Uint8Array): AdkMessage | undefined {
  const event = JSON.parse(Buffer.from(json).toString()) as EventJson;
  const parts = event.content?.parts ?? [];
  const textsOf = (isThought: boolean) =>
    parts
      .filter((part) => (part.thought === true) === isThought)
      .map(({ text }) => (typeof text === 'string' ? text : ''))
      .join('');
  const [content, thinking] = [textsOf(false), textsOf(true)];
  if (content.trim() === '' && thinking.trim() === '') return undefined;
  const role = event.author === 'user' ? 'user' : 'assistant';
  return { role, content, timestamp: Number(event.timestamp ?? 0), ...(thinking !== '' && { thinking }) };
}
