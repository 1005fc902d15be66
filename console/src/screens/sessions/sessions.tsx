import type { Session } from '@agentmesh/client';
import { useRef } from 'preact/hooks';
import { loadApps } from '../../data/apps.ts';
import { mesh } from '../../data/client.ts';
import { useList } from '../../data/list.ts';
import { invalidate, useQuery } from '../../data/query.ts';
import { titleOf } from '../../data/titles.ts';
import { Page } from '../../kit/page.tsx';
import { Empty } from '../../kit/states.tsx';
import { type Column, ListTable } from '../../kit/table.tsx';
import { TextFilter } from '../../kit/field.tsx';
import { Time } from '../../kit/time.tsx';
import { href, query, setQuery } from '../../shell/router.ts';
import { t } from '../../texts.ts';
import { MemorySearch } from './memory-search.tsx';

const columns: readonly Column<Session>[] = [
  { title: t.sessions.session, cell: ({ id }) => <Name id={id} /> },
  { title: t.sessions.changed, cell: ({ lastUpdateTime }) => <Time at={lastUpdateTime} /> },
];

/** Sessions of one user with one agent, newest first, and the search in what they have said. */
export function Sessions() {
  const apps = useQuery('apps', loadApps).data ?? [];
  const { users = [], app: latest } = useQuery('sessions?latest', loadLatest).data ?? {};
  // Runs of other agents that begin meanwhile do not change what is looked at.
  const first = useRef<string>(undefined);
  first.current ??= latest;
  const app = query.value.get('app') ?? first.current ?? 'echo';
  const user = query.value.get('user') ?? 'user';
  const words = query.value.get('q') ?? '';
  return (
    <Page title={t.nav.sessions} lead={t.sessions.lead}>
      <div class="filters" role="search" aria-label={t.nav.sessions}>
        <select
          class="input"
          aria-label={t.runs.agent}
          value={app}
          onChange={(event) => setQuery({ app: event.currentTarget.value })}
        >
          {apps.map(({ name, title }) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
        <TextFilter
          label={t.runs.user}
          value={user}
          usual="user"
          list="users"
          onChange={(value) => setQuery({ user: value })}
        />
        <datalist id="users">
          {users.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <TextFilter label={t.sessions.memory} value={words} onChange={(value) => setQuery({ q: value })} />
      </div>
      {words === '' ? <List app={app} user={user} /> : <MemorySearch place={{ app, user }} words={words} />}
    </Page>
  );
}

/** The title of a session with its id below. Sessions without one have the id alone. */
function Name({ id }: Pick<Session, 'id'>) {
  const title = titleOf(id) ?? '';
  if (title === '') return <code>{id}</code>;
  return (
    <>
      <span dir="auto">{title}</span>
      <br />
      <code class="small muted">{id}</code>
    </>
  );
}

function List({ app, user }: { readonly app: string; readonly user: string }) {
  const list = useList({
    key: `sessions?${app}&${user}&list`,
    read: () => mesh.sessions.list({ app, user }, { order: 'desc', limit: 50 }),
    idOf: ({ id }) => id,
    everyMs: 10_000,
  });
  return (
    <ListTable
      label={t.nav.sessions}
      columns={columns}
      list={list}
      keyOf={({ id }) => id}
      hrefOf={({ id }) => href`/sessions/${app}/${user}/${id}`}
      retry={() => invalidate('sessions?')}
      empty={<Empty icon="sessions" title={t.sessions.none} text={t.sessions.noneText} />}
    />
  );
}

/** Users of the latest runs, and the agent of the last one. */
async function loadLatest() {
  const { items } = await mesh.runs.list({ limit: 200 }).page();
  return { users: Array.from(new Set(items.map(({ userId }) => userId))).toSorted(), app: items[0]?.appName };
}
