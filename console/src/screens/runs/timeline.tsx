import type { Event, Run } from '@agentmesh/client';
import { Icon, type IconName } from '../../kit/icon.tsx';
import { lengthOf } from '../../kit/time.tsx';
import { t } from '../../texts.ts';
import { type Span, spansOf } from './spans.ts';

const icons: Readonly<Record<Span['kind'], IconName>> = {
  queue: 'clock',
  model: 'agents',
  tool: 'tool',
  wait: 'inbox',
};

/** The model calls, tools and waits of a run as a waterfall. */
export function Timeline({ run, events }: { readonly run: Run; readonly events: readonly Event[] }) {
  const spans = spansOf(run, events);
  if (spans.length === 0) return <p class="muted">{run.endTime === undefined ? t.run.noSpans : t.run.hadNoSpans}</p>;
  const [from, to] = [run.createTime, Math.max(run.endTime ?? 0, ...spans.map(({ end }) => end))];
  const length = Math.max(to - from, 0.001);
  return (
    <ol class="card waterfall">
      {spans.map((span, index) => (
        <li key={index} class={span.kind}>
          <span class="row span-name">
            <Icon name={icons[span.kind]} />
            <span class="clip">{nameOf(span)}</span>
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
  if (kind === 'model') return `${agent} · ${name === '' ? t.run.modelCall : name}`;
  return kind === 'wait' ? `${name} · ${t.run.waited}` : name;
}
