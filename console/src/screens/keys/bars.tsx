import type { Answer } from '@agentmesh/client';
import { count, dollars } from '../../kit/numbers.ts';
import { t } from '../../texts.ts';
import { dayBefore } from './day-before.ts';

interface BarsProps {
  readonly days: number;
  readonly used: Answer<'getUsage'>['usage'];
}

const height = 100;

/** Requests to models of each day. The table below says the same in numbers. */
export function Bars({ days, used }: BarsProps) {
  const byDay = new Map(used.map((row) => [row.day, row]));
  const shown = Array.from({ length: days }, (_, index) => dayBefore(days - 1 - index));
  const most = Math.max(1, ...used.map(({ requests }) => requests));
  const sums = { requests: 0, cost: 0 };
  for (const { requests, cost_usd: cost } of used) {
    sums.requests += requests;
    sums.cost += cost;
  }
  return (
    <figure class="card pad stack tight">
      <figcaption class="row small muted">
        <span class="grow">{t.keys.perDay}</span>
        <span class="number">
          {count(sums.requests)} · {dollars(sums.cost)}
        </span>
      </figcaption>
      <svg class="bars" viewBox={`0 0 ${days * 4} ${height}`} preserveAspectRatio="none" aria-hidden="true">
        <line x1="0" x2={days * 4} y1={height - 0.5} y2={height - 0.5} />
        {shown.map((day, index) => {
          const { requests = 0, cost_usd: cost = 0 } = byDay.get(day) ?? {};
          const tall = requests === 0 ? 0 : Math.max(1.5, (requests / most) * (height - 2));
          return (
            <rect key={day} x={index * 4 + 0.5} width="3" y={height - tall} height={tall}>
              <title>{`${day}: ${count(requests)}, ${dollars(cost)}`}</title>
            </rect>
          );
        })}
      </svg>
      <div class="row small muted">
        <span class="grow">{shown[0]}</span>
        <span>{shown.at(-1)}</span>
      </div>
    </figure>
  );
}
