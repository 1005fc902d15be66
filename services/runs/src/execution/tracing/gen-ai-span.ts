import type { EndedSpan } from '@agentmesh/lib/spans';
import type { TracedSpan } from './attempt-trace.ts';

/** Version of OpenTelemetry's semantic conventions whose terms for generative AI the stored spans have. */
export const semanticConventions = '1.37.0';

/** A span as it is stored, and as `GET /runs/{id}/trace` shows it. Times in Unix seconds. */
export interface SpanRecord {
  readonly id: string;
  readonly parentId?: string;
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly status: 'ok' | 'error';
  readonly attributes: EndedSpan['attributes'];
}

type Attributes = EndedSpan['attributes'];

const longestName = 128;
const kept = /^(gen_ai|adk)\.|^error\.type$/;
/** ADK's older names, and texts that the file of the agent has already. */
const dropped = new Set(['gen_ai.system', 'gen_ai.agent.description', 'gen_ai.tool.description']);

/**
 * A span of ADK, or of an app's code, in the terms of the conventions. Attributes with other names are left out: they may quote what users and models
 * have said, which the events of the run hold.
 */
export function genAiSpan(span: TracedSpan): SpanRecord {
  const { spanId: id, parentSpanId: parentId, startTime, endTime, hasFailed, eventId } = span;
  const own = Object.entries(span.attributes).filter(([key]) => kept.test(key) && !dropped.has(key));
  const attributes = {
    ...(span.attributes['gen_ai.tool.name'] === undefined && toolAttributes(span.name)),
    ...Object.fromEntries(own),
    ...(span.name === 'call_llm' && chatAttributes(modelOf(span.attributes))),
    ...(eventId !== '' && { 'agentmesh.event.id': eventId }),
  };
  return {
    id,
    ...(parentId !== undefined && { parentId }),
    name: nameOf(span).slice(0, longestName),
    start: startTime / 1e9,
    end: endTime / 1e9,
    status: hasFailed ? 'error' : 'ok',
    attributes,
  };
}

function nameOf({ name, attributes }: TracedSpan): string {
  return name === 'call_llm' ? `chat ${modelOf(attributes)}`.trim() : name;
}

function modelOf(attributes: Attributes): string {
  const model = attributes['gen_ai.request.model'];
  return typeof model === 'string' ? model : '';
}

/** Attributes of each call of a model with this name. */
export function chatAttributes(model: string): Attributes {
  return { 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': providerOf(model) };
}

/** Attributes of a call of a tool, which ADK gives to those alone that end well. None of other spans. */
function toolAttributes(name: string): Attributes {
  const [, tool] = /^execute_tool (.+)$/s.exec(name) ?? [];
  return tool === undefined ? {} : { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': tool };
}

/** Provider by the prefix of a model's name. */
function providerOf(model: string): string {
  const [prefix = ''] = model.split('/');
  if (model.startsWith('gemini') || prefix === 'google') return 'gcp.gemini';
  return model.includes('/') ? prefix : '_OTHER';
}
