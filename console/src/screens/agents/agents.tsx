import { type AgentApp, loadApps } from '../../data/apps.ts';
import { invalidate, useQuery } from '../../data/query.ts';
import { Badge } from '../../kit/badge.tsx';
import { LinkButton } from '../../kit/button.tsx';
import { Page } from '../../kit/page.tsx';
import { Empty, When } from '../../kit/states.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { base, href } from '../../shell/router.ts';
import { t } from '../../texts.ts';

const tones = { ready: 'good', loading: 'busy', stale: 'warn', failed: 'bad' } as const;

export function AgentBadge({ state }: Pick<AgentApp, 'state'>) {
  return <Badge tone={tones[state]}>{t.agents.states[state]}</Badge>;
}

const columns: readonly Column<AgentApp>[] = [
  { title: t.runs.agent, cell: ({ title }) => title },
  { title: t.runs.status, cell: ({ state }) => <AgentBadge state={state} /> },
  { title: t.agents.kind, cell: (app) => <span class="tag">{kindOf(app)}</span> },
  { title: t.agents.about, cell: ({ description }) => <span class="reason">{description}</span>, isWide: true },
];

export function kindOf({ recordId, language }: AgentApp): string {
  return recordId === undefined ? `${t.agents.files}, ${language}` : t.agents.record;
}

/** The agents of the server's files and those that the account has made. */
export function Agents() {
  const known = useQuery('apps', loadApps, { everyMs: 10_000 });
  return (
    <Page
      title={t.nav.agents}
      lead={t.agents.lead}
      actions={
        <LinkButton kind="first" icon="plus" href={`${base}/agents/new`}>
          {t.chat.makeAgent}
        </LinkButton>
      }
    >
      <When known={known} retry={() => invalidate('apps')}>
        {(apps) =>
          apps.length === 0 ? (
            <Empty icon="agents" title={t.chat.noAgents} text={t.chat.noAgentsText} />
          ) : (
            <Table
              label={t.nav.agents}
              columns={columns}
              rows={apps}
              keyOf={({ name }) => name}
              hrefOf={({ name }) => href`/agents/${name}`}
            />
          )
        }
      </When>
    </Page>
  );
}
