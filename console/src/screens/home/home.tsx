import './home.css';
import type { Page as PageOf, Run } from '@agentmesh/client';
import { mesh } from '../../data/client.ts';
import { invalidate, useQuery } from '../../data/query.ts';
import { waiting, waitingText } from '../../data/waiting.ts';
import { RunBadge } from '../../kit/badge.tsx';
import { LinkButton } from '../../kit/button.tsx';
import { Command } from '../../kit/copy.tsx';
import { dollars, shortCount } from '../../kit/numbers.ts';
import { Page } from '../../kit/page.tsx';
import { When } from '../../kit/states.tsx';
import { type Column, LiveTable } from '../../kit/table.tsx';
import { lengthOf, Time } from '../../kit/time.tsx';
import { AppName } from '../../parts/app-name.tsx';
import { runPath } from '../../parts/run-path.ts';
import { base } from '../../shell/router.ts';
import { t } from '../../texts.ts';
import { figuresOf } from './figures.ts';

const most = 500;
const shown = 8;

/** Numbers of runs that go on, wait or have failed; each leads to its list. */
export function Home() {
  const runs = useQuery('runs?home', () => mesh.runs.list({ limit: most, since: dayAgo() }).page(), {
    everyMs: 10_000,
  });
  return (
    <Page title={t.home.title}>
      <When known={runs} retry={() => invalidate('runs?home')}>
        {(page) => (
          <>
            <Numbers page={page} />
            {page.items.length === 0 ? <FirstSteps /> : <Lists runs={page.items} />}
          </>
        )}
      </When>
    </Page>
  );
}

function dayAgo(): string {
  return new Date(Date.now() - 86_400_000).toISOString();
}

/** Like the page of usage: without models of tests. */
interface Use {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost_usd: number;
}

/** Where there are more runs than were read, the numbers are the least that there can be. */
function Numbers({ page: { items: runs, next } }: { readonly page: PageOf<Run> }) {
  const use = useQuery('usage?today', () =>
    mesh.request<{ usage: readonly Use[] }>({
      path: '/api/usage',
      query: { group_by: 'day', from: today(), to: tomorrow() },
    }),
  );
  const { running, queued, failed, perMinute, p95 } = figuresOf(runs);
  const sum = (amount: (use: Use) => number): number =>
    (use.data?.usage ?? []).reduce((before, part) => before + amount(part), 0);
  const atLeast = (number: number): string => (next === undefined || number === 0 ? String(number) : `${number}+`);
  const tiles = [
    [t.home.waits, waitingText.value, '/inbox', waiting.value > 0 && 'warn'],
    [t.home.running, atLeast(running), '/runs?status=running', running > 0 && 'busy'],
    [t.home.queued, atLeast(queued), '/runs?status=queued', false],
    [t.home.failed, atLeast(failed), '/runs?status=failed&since=day', failed > 0 && 'bad'],
    [t.home.perMinute, perMinute, '/runs?since=hour', false],
    [t.home.p95, p95 === undefined ? '–' : lengthOf(p95), '/runs?since=day', false],
    [t.home.tokens, shortCount(sum((it) => it.input_tokens + it.output_tokens)), '/runs?since=day', false],
    [t.home.cost, dollars(sum((it) => it.cost_usd)), '/runs?since=day', false],
  ] as const;
  return (
    <div class="tiles">
      {tiles.map(([name, value, to, tone]) => (
        <a key={name} class="card tile" href={base + to}>
          <span class="small muted">{name}</span>
          <strong class={tone === false ? '' : `${tone} toned`}>{value}</strong>
        </a>
      ))}
    </div>
  );
}

const today = (): string => new Date().toISOString().slice(0, 10);
const tomorrow = (): string => new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);

const columns: readonly Column<Run>[] = [
  { title: t.runs.agent, cell: ({ appName }) => <AppName name={appName} /> },
  { title: t.runs.status, cell: ({ status }) => <RunBadge status={status} /> },
  { title: t.runs.started, cell: ({ createTime }) => <Time at={createTime} /> },
];

function Lists({ runs }: { readonly runs: readonly Run[] }) {
  const failed = runs.filter(({ status }) => status === 'failed').slice(0, shown);
  const hrefOf = (run: Run): string => base + runPath(run);
  const reason: Column<Run> = {
    title: t.home.reason,
    cell: ({ errorMessage }) => <span class="bad toned reason">{errorMessage}</span>,
  };
  const [first, , last] = columns;
  const ofFailed = [first, reason, last].filter((column) => column !== undefined);
  return (
    <div class="halves">
      <section class="stack tight">
        <h2>{t.home.latest}</h2>
        <LiveTable
          label={t.home.latest}
          columns={columns}
          rows={runs.slice(0, shown)}
          keyOf={runPath}
          hrefOf={hrefOf}
        />
      </section>
      <section class="stack tight">
        <h2>{t.home.lastFailed}</h2>
        {failed.length === 0 ? (
          <p class="card pad muted">{t.home.nothingFailed}</p>
        ) : (
          <LiveTable label={t.home.lastFailed} columns={ofFailed} rows={failed} keyOf={runPath} hrefOf={hrefOf} />
        )}
      </section>
    </div>
  );
}

function FirstSteps() {
  return (
    <section class="card pad stack">
      <h2>{t.home.firstSteps}</h2>
      <p class="muted">{t.home.firstText}</p>
      <div class="row">
        <LinkButton kind="first" icon="chat" href={`${base}/chat/echo`}>
          {t.home.startChat}
        </LinkButton>
      </div>
      <h3>{t.home.inTerminal}</h3>
      <Command text={`AGENTMESH_URL=${location.origin} npx agentmesh run echo "Hello, mesh"`} />
    </section>
  );
}
