import { Chat } from '@ai-sdk/react';
import { AgentMesh, type RunEvent } from '@agentmesh/client';
import { MeshChatTransport } from '@agentmesh/client/ai';
import { lastAssistantMessageIsCompleteWithApprovalResponses as whenApproved, type UIMessage } from 'ai';
import { expect, test } from 'vitest';
import { createChunker } from '../../sdk/typescript/src/ai/to-chunks.ts';

const says = (author: string, text: string, over: object = {}) =>
  ({ author, content: { parts: [{ text }] }, ...over }) as RunEvent;
const gap: RunEvent = { gap: { upTo: '0-3' } };

/** The texts of a stream of chunks, in the order of their beginnings. */
function textsOf(events: readonly RunEvent[]): string[] {
  const chunker = createChunker();
  const texts = new Map<string, string>();
  for (const chunk of [...events.flatMap((event) => chunker.add(event)), ...chunker.end()]) {
    if (chunk.type === 'text-delta') texts.set(chunk.id, (texts.get(chunk.id) ?? '') + chunk.delta);
  }
  return [...texts.values()];
}

test('words of an attempt that died are a text of their own before the other words of the next one', () => {
  const events = [says('a', 'Hello wor', { partial: true }), says('a', 'Good day, friend')];
  expect(textsOf(events)).toEqual(['Hello wor', 'Good day, friend']);
});

test('partial events behind a gap are not told before the whole one has filled it', () => {
  const events = [
    says('a', 'one ', { partial: true }),
    gap,
    says('a', 'three', { partial: true }),
    says('a', 'one two three'),
  ];
  expect(textsOf(events)).toEqual(['one two three']);
});

test('a gap of one agent lasts while another one says something whole', () => {
  const events = [
    says('a', 'one ', { partial: true }),
    gap,
    says('b', 'Hi'),
    says('a', 'three', { partial: true }),
    says('a', 'one two three'),
  ];
  expect(textsOf(events)).toEqual(['one two three', 'Hi']);
});

/** A chat whose only run has these events and this end. */
function chatWith(events: readonly object[], status: string) {
  const frames = events.map((event, index) => `id: ${index + 1}\ndata: ${JSON.stringify(event)}\n\n`);
  const end = `event: end\nid: 9-end1\ndata: ${JSON.stringify({ invocationId: 'e-1', status })}\n\n`;
  const ask = async (url: string): Promise<Response> => {
    if (url.includes('/events'))
      return new Response(frames.join('') + end, { headers: { 'content-type': 'text/event-stream' } });
    return Response.json([{ invocationId: 'e-1', status: 'running' }]);
  };
  const mesh = new AgentMesh({ url: 'http://mesh.example', token: 't', tries: 1, fetch: ask as typeof fetch });
  const transport = new MeshChatTransport({ mesh, app: 'echo', user: 'u1' });
  return new Chat<UIMessage>({ id: 'c-1', transport, sendAutomaticallyWhen: whenApproved });
}

test('approvals of a run that was cancelled meanwhile are not sent again', async () => {
  const original = { id: 'c-1', name: 'pay', args: {} };
  const asking = { id: 'q-1', name: 'adk_request_confirmation', args: { originalFunctionCall: original } };
  const answer = { id: 'q-1', name: 'adk_request_confirmation', response: { confirmed: true } };
  const chat = chatWith(
    [
      { author: 'echo', content: { parts: [{ functionCall: original }, { functionCall: asking }] } },
      { author: 'user', content: { parts: [{ functionResponse: answer }] } },
    ],
    'cancelled',
  );
  await chat.resumeStream();
  expect(chat.error).toBeUndefined();
  expect(chat.messages.at(-1)?.parts.find(({ type }) => type === 'dynamic-tool')).toMatchObject({
    state: 'approval-responded',
  });
  expect([chat.status, chat.error]).toEqual(['ready', undefined]);
});
