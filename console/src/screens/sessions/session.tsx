import './sessions.css';
import type { Event, SessionName } from '@agentmesh/client';
import { forgetDrafts } from '../../data/drafts.ts';
import { mesh } from '../../data/client.ts';
import { useList } from '../../data/list.ts';
import { loadSessionRecord, sessionKey } from '../../data/session-record.ts';
import { invalidate, useQuery } from '../../data/query.ts';
import { Button, LinkButton } from '../../kit/button.tsx';
import { Json } from '../../kit/json.tsx';
import { Facts, Page, shortId, Tabs } from '../../kit/page.tsx';
import { Failure, Skeleton, When } from '../../kit/states.tsx';
import { Time } from '../../kit/time.tsx';
import { say } from '../../kit/toasts.tsx';
import { useSure } from '../../kit/sure.tsx';
import { AppName } from '../../parts/app-name.tsx';
import { base, choiceOf, go, href, type Params, screen } from '../../shell/router.ts';
import { t } from '../../texts.ts';
import { Artifacts } from './artifacts.tsx';
import { State } from './state.tsx';

const tabs = ['events', 'state', 'artifacts'] as const;

/** One session: its events, its state and its files. */
export function Session({ params }: { readonly params: Params }) {
  const { app = '', user = '', session = '' } = params;
  const place = { app, user, session };
  const known = useQuery(sessionKey(place), () => loadSessionRecord(place));
  const here = choiceOf('tab', tabs);
  const links = tabs.map((tab) => ({
    href: href`/sessions/${app}/${user}/${session}` + (tab === 'events' ? '' : `?tab=${tab}`),
    text: t.sessions[tab],
    isHere: tab === here,
  }));
  const crumb = { href: href`/sessions?app=${app}&user=${user}`, text: t.nav.sessions };
  return (
    <When known={known} retry={() => invalidate(sessionKey(place))} back={crumb}>
      {({ lastUpdateTime }) => (
        <Page title={`${t.sessions.session} ${shortId(session)}`} crumb={crumb} actions={<Actions place={place} />}>
          <Facts
            facts={[
              [t.runs.agent, <AppName key="app" name={app} />],
              [t.runs.user, user],
              [t.sessions.changed, <Time key="time" at={lastUpdateTime} />],
              [t.nav.runs, <RunsLink key="runs" place={place} />],
            ]}
          />
          <Tabs tabs={links} />
          {here === 'events' && <Events place={place} />}
          {here === 'state' && <State place={place} />}
          {here === 'artifacts' && <Artifacts place={place} />}
        </Page>
      )}
    </When>
  );
}

function Actions({ place }: { readonly place: SessionName }) {
  const { app, user, session } = place;
  const [sure, ask] = useSure();
  const remove = async (): Promise<void> => {
    await mesh.sessions.delete(place);
    forgetDrafts(sessionKey(place));
    await invalidate('sessions');
    go(screen`/sessions?app=${app}&user=${user}`);
    await invalidate(sessionKey(place));
  };
  const addToMemory = async (): Promise<void> => {
    await mesh.memory.add(place, { sessionId: session });
    await invalidate('memory?');
    say(t.sessions.addedToMemory);
  };
  return (
    <>
      <LinkButton icon="chat" href={`${href`/chat/${app}/${session}`}?user=${encodeURIComponent(user)}`}>
        {t.run.openChat}
      </LinkButton>
      <Button icon="plus" onPress={addToMemory}>
        {t.sessions.addToMemory}
      </Button>
      <Button
        kind="danger"
        icon="trash"
        onPress={() => ask(t.sessions.delete, t.chat.deleteText, t.actions.delete, remove)}
      >
        {t.actions.delete}
      </Button>
      {sure}
    </>
  );
}

function RunsLink({ place: { app, user, session } }: { readonly place: SessionName }) {
  const filter = new URLSearchParams({ app, user, session });
  return <a href={`${base}/runs?${filter.toString()}`}>{t.sessions.seeRuns}</a>;
}

function Events({ place }: { readonly place: SessionName }) {
  const key = `${sessionKey(place)}:events`;
  const { data, error, more } = useList({
    key,
    read: () => mesh.sessions.events(place, { order: 'desc', limit: 50 }),
    idOf: ({ id }) => id ?? '',
    everyMs: 5_000,
  });
  if (data === undefined && error !== undefined) return <Failure error={error} retry={() => invalidate(key)} />;
  if (data === undefined) return <Skeleton />;
  if (data.length === 0) return <p class="muted">{t.sessions.noEvents}</p>;
  return (
    <div class="stack">
      <div class="card lines">
        {data.map((event, index) => (
          <EventLine key={event.id ?? index} event={event} />
        ))}
      </div>
      {more && (
        <div class="row pill">
          <Button onPress={more}>{t.actions.more}</Button>
        </div>
      )}
    </div>
  );
}

function EventLine({ event }: { readonly event: Event }) {
  return (
    <details>
      <summary class="row">
        <span class="tag">{event.author}</span>
        <span class="grow clip">{summaryOf(event)}</span>
        <span class="small muted">
          <Time at={event.timestamp} />
        </span>
      </summary>
      <Json value={event} />
    </details>
  );
}

/** The words of an event, else its calls, else the state that it changes. */
function summaryOf({ content, actions, errorMessage }: Event): string {
  const parts = content?.parts ?? [];
  const words = parts.map(({ text }) => text ?? '').join(' ');
  const calls = parts.flatMap(({ functionCall, functionResponse }) => [
    ...(!functionCall ? [] : [`${functionCall.name ?? ''}(…)`]),
    ...(!functionResponse ? [] : [`${functionResponse.name ?? ''} → …`]),
  ]);
  const changed = Object.keys(actions?.stateDelta ?? {});
  return [words, ...calls, errorMessage ?? '', ...changed.map((name) => `${name} = …`)].filter(Boolean).join(' · ');
}
