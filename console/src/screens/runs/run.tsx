import './runs.css';
import type { Event, NamedRun, Run as RunRecord } from '@agentmesh/client';
import { mesh } from '../../data/client.ts';
import { invalidate, useQuery } from '../../data/query.ts';
import { RunBadge } from '../../kit/badge.tsx';
import { Json } from '../../kit/json.tsx';
import { Markdown } from '../../kit/markdown/markdown.tsx';
import { Page, shortId, Tabs } from '../../kit/page.tsx';
import { Failure, When } from '../../kit/states.tsx';
import { AppName } from '../../parts/app-name.tsx';
import { base, choiceOf, href, type Params, path } from '../../shell/router.ts';
import { t } from '../../texts.ts';
import { Deliveries } from './deliveries.tsx';
import { RunActions } from './run-actions.tsx';
import { useRunEvents } from './run-events.ts';
import { RunFacts } from './run-facts.tsx';
import { RunLog } from './run-log.tsx';
import { Timeline } from './timeline.tsx';
import { Waits } from './waits.tsx';

const tabs = ['timeline', 'events', 'log', 'record', 'deliveries'] as const;

/** One run: what it did, when, with what, and what it waits for. */
export function Run({ params }: { readonly params: Params }) {
  const id = params['id'] ?? '';
  const key = `run:${path.value}`;
  const named = nameIn(params);
  const known = useQuery(key, () => mesh.runs.get(named), { everyMs: 4_000 });
  const { events, error, retry } = useRunEvents(named, key, known.data?.status);
  const crumb = { href: `${base}/runs`, text: t.runs.title };
  return (
    <When known={known} retry={() => invalidate(key)} back={crumb}>
      {(run) => (
        <Page
          title={`${t.run.title} ${shortId(id)}`}
          crumb={crumb}
          actions={<RunActions run={run} events={events.value} />}
        >
          <div class="row">
            <RunBadge status={run.status} />
            <a href={href`/chat/${run.appName}`}>
              <AppName name={run.appName} />
            </a>
          </div>
          {run.errorMessage && <p class="fault bad toned">{run.errorMessage}</p>}
          <Waits run={run} />
          <RunFacts run={run} />
          {typeof run.output === 'string' && run.output !== '' && (
            <section class="card pad stack tight">
              <h2>{t.run.output}</h2>
              <Markdown text={run.output} />
            </section>
          )}
          {error.value ? <Failure error={error.value} retry={retry} /> : <Parts run={run} events={events.value} />}
        </Page>
      )}
    </When>
  );
}

/** A link that has no more than an id means the newest run that has it. */
function nameIn({ app, user, session, id = '' }: Params): NamedRun {
  return session === undefined ? id : { appName: app, userId: user, sessionId: session, invocationId: id };
}

function Parts({ run, events }: { readonly run: RunRecord; readonly events: readonly Event[] }) {
  const here = choiceOf('tab', tabs);
  const links = tabs.map((tab) => ({
    href: base + path.value + (tab === 'timeline' ? '' : `?tab=${tab}`),
    text: t.run[tab],
    isHere: tab === here,
  }));
  return (
    <>
      <Tabs tabs={links} />
      {here === 'timeline' && <Timeline run={run} events={events} />}
      {here === 'events' && events.map((event, index) => <Json key={event.id ?? index} value={event} />)}
      {here === 'log' && <RunLog run={run} />}
      {here === 'record' && <Json value={run} />}
      {here === 'deliveries' && <Deliveries run={run} />}
    </>
  );
}
