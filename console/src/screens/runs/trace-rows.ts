import type { Run } from '@agentmesh/client';
import type { mesh } from '../../data/client.ts';
import type { Span } from './spans.ts';

type TraceSpan = Awaited<ReturnType<typeof mesh.runs.trace>>['spans'][number];

/** The spans of a trace as a tree, drawn from top to bottom. A span whose parent is not there is at the top. */
export function rowsOf(trace: readonly TraceSpan[]): readonly Span[] {
  const ids = new Set(trace.map(({ id }) => id));
  const children = Map.groupBy(trace, ({ parentId }) => (ids.has(parentId ?? '') ? parentId : undefined));
  const below = (id: string | undefined, depth: number): readonly Span[] =>
    (children.get(id) ?? [])
      .toSorted((a, b) => a.start - b.start)
      .flatMap((span) => [rowOf(span, depth), ...below(span.id, depth + 1)]);
  return below(undefined, 0);
}

function rowOf({ name, start, end, status, attributes }: TraceSpan, depth: number): Span {
  const text = (key: string): string => {
    const value = attributes[key];
    return typeof value === 'string' ? value : '';
  };
  const [kind, shown] = kindOf(text('gen_ai.operation.name'), name, text);
  const tokens = Number(attributes['gen_ai.usage.input_tokens'] ?? 0);
  const answered = Number(attributes['gen_ai.usage.output_tokens'] ?? 0);
  return {
    kind,
    name: shown,
    agent: '',
    start,
    end,
    depth,
    hasFailed: status === 'error',
    ...(tokens + answered > 0 && { tokens: [tokens, answered] }),
  };
}

function kindOf(operation: string, name: string, text: (key: string) => string): readonly [Span['kind'], string] {
  if (operation === 'invoke_agent') return ['agent', text('gen_ai.agent.name')];
  if (operation === 'chat') return ['model', text('gen_ai.request.model')];
  if (operation === 'execute_tool') return ['tool', text('gen_ai.tool.name')];
  return ['run', name];
}

const pausesMs = [0, 500, 1_000, 2_000];

/** Reads the trace of a run that has just ended: it is written a moment later, or never. */
export async function readTrace(run: Run, read: typeof mesh.runs.trace): Promise<readonly TraceSpan[]> {
  const { endTime, status } = run;
  if (endTime === undefined && status !== 'waiting') return [];
  const isFresh = Date.now() / 1_000 - (endTime ?? 0) < 10;
  for (const pauseMs of isFresh ? pausesMs : [0]) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    const { spans } = await read(run);
    if (spans.length > 0) return spans;
  }
  return [];
}
