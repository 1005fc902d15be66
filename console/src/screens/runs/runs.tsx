import type { Run, RunStatus } from '@agentmesh/client';
import { mesh } from '../../data/client.ts';
import { useList } from '../../data/list.ts';
import { invalidate } from '../../data/query.ts';
import { RunBadge } from '../../kit/badge.tsx';
import { LinkButton } from '../../kit/button.tsx';
import { count, dollars } from '../../kit/numbers.ts';
import { Page } from '../../kit/page.tsx';
import { Empty } from '../../kit/states.tsx';
import { type Column, ListTable } from '../../kit/table.tsx';
import { lengthOf, Time } from '../../kit/time.tsx';
import { AppName } from '../../parts/app-name.tsx';
import { runPath } from '../../parts/run-path.ts';
import { base, query } from '../../shell/router.ts';
import { t } from '../../texts.ts';
import { costOf, RunFilters, sinceOf } from './run-filters.tsx';

const columns: readonly Column<Run>[] = [
  { title: t.runs.agent, cell: ({ appName }) => <AppName name={appName} /> },
  { title: t.runs.status, cell: ({ status }) => <RunBadge status={status} /> },
  { title: t.runs.started, cell: ({ createTime }) => <Time at={createTime} /> },
  { title: t.runs.took, cell: durationOf, isNumber: true, isWide: true },
  { title: t.runs.user, cell: ({ userId }) => userId, isWide: true },
  { title: t.runs.model, cell: ({ model }) => <code>{model ?? ''}</code>, isWide: true },
  { title: t.runs.tokens, cell: ({ usage }) => count(usage?.totalTokenCount ?? 0), isNumber: true, isWide: true },
  { title: t.runs.cost, cell: ({ usage }) => dollars(usage?.cost), isNumber: true, isWide: true },
];

/** The runs of the account, newest first, by the filters of the address. */
export function Runs() {
  const params = query.value;
  const filter = {
    app: params.get('app') ?? undefined,
    user: params.get('user') ?? undefined,
    session: params.get('session') ?? undefined,
    status: (params.get('status') ?? undefined) as RunStatus | undefined,
    agentVersion: params.get('version') ?? undefined,
    minCost: costOf(params.get('cost')),
  };
  const list = useList({
    key: `runs?${params.toString()}`,
    read: () => mesh.runs.list({ ...filter, since: sinceOf(params.get('since')), limit: 50 }),
    idOf: runPath,
    everyMs: 5_000,
  });
  return (
    <Page title={t.runs.title} lead={t.runs.lead}>
      <RunFilters />
      <ListTable
        label={t.runs.title}
        columns={columns}
        list={list}
        keyOf={runPath}
        hrefOf={(run) => base + runPath(run)}
        retry={() => invalidate('runs')}
        empty={<NoRuns isFiltered={params.size > 0} />}
      />
    </Page>
  );
}

function NoRuns({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <Empty icon="search" title={t.runs.noneHere}>
        <LinkButton href={`${base}/runs`}>{t.runs.clear}</LinkButton>
      </Empty>
    );
  }
  const command = `npx agentmesh run echo "Hello, mesh"`;
  return <Empty icon="runs" title={t.runs.none} text={t.runs.noneText} command={command} />;
}

function durationOf({ startTime, endTime }: Run): string {
  return startTime === undefined || endTime === undefined ? '–' : lengthOf(endTime - startTime);
}
