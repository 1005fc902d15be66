import type { Answer } from '@agentmesh/client';
import { mesh } from '../../data/client.ts';
import { invalidate, useQuery } from '../../data/query.ts';
import { LinkButton } from '../../kit/button.tsx';
import { count, dollars, shortCount } from '../../kit/numbers.ts';
import { Empty, When } from '../../kit/states.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { AppName } from '../../parts/app-name.tsx';
import { query, setQuery } from '../../shell/router.ts';
import { t } from '../../texts.ts';
import { Bars } from './bars.tsx';
import { dayBefore } from './day-before.ts';

type Row = Answer<'getUsage'>['usage'][number];

const groups = ['day', 'model', 'agent', 'user', 'key'] as const;
type Group = (typeof groups)[number];
const lengths = [7, 30, 90] as const;

/** The use of models in the last days, as a chart of days and a table that can be downloaded. */
export function Usage() {
  const by = groups.find((it) => it === query.value.get('by')) ?? 'model';
  const days = lengths.find((it) => String(it) === query.value.get('days')) ?? 30;
  const [from, to] = [dayBefore(days - 1), dayBefore(0)];
  const read = (group: string) => async () => (await mesh.usage.get({ group_by: group, from, to })).usage;
  const perDay = useQuery(`usage?day&${from}`, read('day'));
  const rows = useQuery(`usage?${by}&${from}`, read(by));
  return (
    <>
      <div class="filters" role="search" aria-label={t.keys.usage}>
        <select
          class="input"
          aria-label={t.keys.time}
          value={String(days)}
          onChange={(event) => setQuery({ days: event.currentTarget.value })}
        >
          {lengths.map((length) => (
            <option key={length} value={String(length)}>{`${t.keys.last} ${length} ${t.keys.days}`}</option>
          ))}
        </select>
        <select
          class="input"
          aria-label={t.keys.by}
          value={by}
          onChange={(event) => setQuery({ by: event.currentTarget.value })}
        >
          {groups.map((group) => (
            <option key={group} value={group}>{`${t.keys.by} ${t.keys.groups[group].toLowerCase()}`}</option>
          ))}
        </select>
      </div>
      <When known={perDay} retry={() => invalidate('usage?')}>
        {(used) => used.length > 0 && <Bars days={days} used={used} />}
      </When>
      <When known={rows} retry={() => invalidate('usage?')}>
        {(used) => <Sums rows={used} by={by} />}
      </When>
    </>
  );
}

function Sums({ rows, by }: { readonly rows: readonly Row[]; readonly by: Group }) {
  if (rows.length === 0) return <Empty icon="chart" title={t.keys.noUsage} text={t.keys.noUsageText} />;
  const columns: readonly Column<Row>[] = [
    {
      title: t.keys.groups[by],
      cell: (row) => (by === 'agent' ? <AppName name={row.agent ?? ''} /> : nameOf(row, by)),
    },
    { title: t.keys.amounts.requests, cell: ({ requests }) => count(requests), isNumber: true },
    { title: t.run.inTokens, cell: ({ input_tokens: tokens }) => shortCount(tokens), isNumber: true, isWide: true },
    { title: t.run.outTokens, cell: ({ output_tokens: tokens }) => shortCount(tokens), isNumber: true, isWide: true },
    { title: t.runs.cost, cell: ({ cost_usd: cost }) => dollars(cost), isNumber: true },
  ];
  return (
    <div class="stack tight">
      <div class="row">
        <span class="grow" />
        <LinkButton isTiny href={csvOf(rows, by)} download={`usage-by-${by}.csv`}>
          {t.keys.csv}
        </LinkButton>
      </div>
      <Table label={t.keys.usage} columns={columns} rows={rows} keyOf={(row) => nameOf(row, by)} />
    </div>
  );
}

function nameOf({ day, model, agent, user_id: user, key }: Row, by: Group): string {
  return { day, model, agent, user, key }[by] ?? '';
}

/** The table as an address of CSV. */
function csvOf(rows: readonly Row[], by: Group): string {
  const head = [by, 'requests', 'input_tokens', 'cached_tokens', 'output_tokens', 'cost_usd'];
  const lines = rows.map((row) =>
    [quoted(nameOf(row, by)), row.requests, row.input_tokens, row.cached_tokens, row.output_tokens, row.cost_usd].join(
      ',',
    ),
  );
  return `data:text/csv;charset=utf-8,${encodeURIComponent([head.join(','), ...lines].join('\n'))}`;
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
