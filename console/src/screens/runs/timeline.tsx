import type { Event, Run } from '@agentmesh/client';
import { mesh } from '../../data/client.ts';
import { useQuery } from '../../data/query.ts';
import { Icon, type IconName } from '../../kit/icon.tsx';
import { shortCount } from '../../kit/numbers.ts';
import { lengthOf } from '../../kit/time.tsx';
import { runPath } from '../../parts/run-path.ts';
import { t } from '../../texts.ts';
import { queueOf, type Span, spansOf } from './spans.ts';
import { readTrace, rowsOf } from './trace-rows.ts';

const icons: Readonly<Record<Span['kind'], IconName>> = {
  queue: 'clock',
  run: 'runs',
  agent: 'agents',
  model: 'model',
  tool: 'tool',
  wait: 'inbox',
};

/** The model calls, tools and waits of a run as a waterfall. */
export function Timeline({ run, events }: { readonly run: Run; readonly events: readonly Event[] }) {
  const key = `trace:${runPath(run)}:${run.status}:${run.attempt}`;
  const trace = rowsOf(useQuery(key, () => readTrace(run, (it) => mesh.runs.trace(it))).data ?? []);
  const seen = spansOf(run, events);
  const waits = seen.filter(({ kind }) => kind === 'wait');
  const spans = [...queueOf(run, trace), ...(trace.length > 0 ? [...waits, ...trace] : seen)];
  if (spans.length === 0) return <p class="muted">{run.endTime === undefined ? t.run.noSpans : t.run.hadNoSpans}</p>;
  const [from, to] = [run.createTime, Math.max(run.endTime ?? 0, ...spans.map(({ end }) => end))];
  const length = Math.max(to - from, 0.001);
  return (
    <ol class="card waterfall" aria-label={t.run.timeline}>
      {spans.map((span, index) => (
        <li key={index} class={`of-${span.kind}`}>
          <span class="row span-name" style={{ paddingLeft: `${(span.depth ?? 0) * 14}px` }}>
            <Icon name={icons[span.kind]} />
            <span class="clip">{nameOf(span)}</span>
            {span.tokens && (
              <span class="small muted tokens" title={`${t.run.inTokens} → ${t.run.outTokens}`}>
                {shortCount(span.tokens[0])} → {shortCount(span.tokens[1])}
              </span>
            )}
          </span>
          <span class="span-track">
            <span
              class={span.hasFailed ? 'span-bar failed' : 'span-bar'}
              style={{
                left: `${((span.start - from) / length) * 100}%`,
                width: `max(3px, ${((span.end - span.start) / length) * 100}%)`,
              }}
            />
          </span>
          <span class="number small muted">{lengthOf(span.end - span.start)}</span>
        </li>
      ))}
    </ol>
  );
}

function nameOf({ kind, name, agent }: Span): string {
  if (kind === 'queue') return t.run.queue;
  if (kind === 'run') return t.run.attempt;
  if (kind === 'model' && agent !== '') return `${agent} · ${name === '' ? t.run.modelCall : name}`;
  return kind === 'wait' ? `${name} · ${t.run.waited}` : name;
}
