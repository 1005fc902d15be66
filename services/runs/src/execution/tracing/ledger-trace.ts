import type { SeenSpan } from '@agentmesh/lib/spans';
import type { EventJson } from '@agentmesh/proto/event';
import { type LedgerRun, RunStatus, type StoredEvent } from '@agentmesh/proto/sessions/v1';
import { chatAttributes, type SpanRecord } from './gen-ai-span.ts';

/** Whether the ledger tells all that these spans do: one agent, one answer of its model, no failure. Such a run stores no spans. */
export function isInLedger(attempt: number, spans: readonly SeenSpan[]): boolean {
  const [chat, agent, invocation, ...others] = spans;
  return (
    attempt === 1 &&
    others.length === 0 &&
    spans.every(({ hasFailed }) => !hasFailed) &&
    chat?.name === 'call_llm' &&
    agent?.name === `invoke_agent ${String(chat.attributes['gen_ai.agent.name'])}` &&
    invocation?.name === 'invocation'
  );
}

/** The spans of a run that has not stored any, by its record and its events: none unless it was as `isInLedger` says. */
export function ledgerTrace(run: LedgerRun, events: readonly StoredEvent[]): readonly SpanRecord[] {
  const made = events.map(({ json }) => JSON.parse(Buffer.from(json).toString()) as EventJson);
  const [answer, ...others] = made.filter(({ author }) => author !== 'user');
  const isPlain = run.status === RunStatus.COMPLETED && run.attempt === 1 && others.length === 0;
  if (answer === undefined || !isPlain) return [];
  const { startTime: start, endTime: end, model, sessionId } = run;
  const [agent, status] = [answer.author, 'ok' as const];
  const named = { 'gen_ai.conversation.id': sessionId };
  const invocation = { id: idOf(1), name: 'invocation', start, end, status, attributes: named };
  const attributes = { ...named, 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': agent };
  const agentSpan = { id: idOf(2), parentId: idOf(1), name: `invoke_agent ${agent}`, start, end, status, attributes };
  const chat = {
    id: idOf(3),
    parentId: idOf(2),
    name: `chat ${model}`.trim(),
    start,
    end: Math.min(Math.max(answer.timestamp, start), end),
    status,
    attributes: {
      ...chatAttributes(model),
      'gen_ai.agent.name': agent,
      'gen_ai.response.model': model,
      ...usageOf(answer),
      'agentmesh.event.id': answer.id,
    },
  };
  return [invocation, agentSpan, chat];
}

function usageOf({ usageMetadata }: EventJson): SpanRecord['attributes'] {
  const { promptTokenCount = 0, candidatesTokenCount = 0 } = (usageMetadata ?? {}) as Record<
    string,
    number | undefined
  >;
  if (usageMetadata === undefined) return {};
  return { 'gen_ai.usage.input_tokens': promptTokenCount, 'gen_ai.usage.output_tokens': candidatesTokenCount };
}

function idOf(number: number): string {
  return number.toString(16).padStart(16, '0');
}
