import type { Session } from '@agentmesh/client';
import { loadApps } from '../../data/apps.ts';
import { mesh } from '../../data/client.ts';
import { useList } from '../../data/list.ts';
import { invalidate, useQuery } from '../../data/query.ts';
import { Page } from '../../kit/page.tsx';
import { Empty } from '../../kit/states.tsx';
import { type Column, ListTable } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { href, query, setQuery } from '../../shell/router.ts';
import { t } from '../../texts.ts';
import { MemorySearch } from './memory-search.tsx';

const columns: readonly Column<Session>[] = [
  { title: t.sessions.session, cell: ({ id }) => <code class="clip">{id}</code> },
  { title: t.sessions.changed, cell: ({ lastUpdateTime }) => <Time at={lastUpdateTime} /> },
];

/** Sessions of one user with one agent, newest first, and the search in what they have said. */
export function Sessions() {
  const apps = useQuery('apps', loadApps).data ?? [];
  const { users = [], app: latest } = useQuery('sessions?latest', loadLatest).data ?? {};
  const app = query.value.get('app') ?? latest ?? 'echo';
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
        <input
          class="input"
          list="users"
          aria-label={t.runs.user}
          placeholder={t.runs.user}
          defaultValue={user}
          onChange={(event) => setQuery({ user: event.currentTarget.value.trim() })}
        />
        <datalist id="users">
          {users.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <input
          class="input"
          type="search"
          aria-label={t.sessions.memory}
          placeholder={t.sessions.memory}
          defaultValue={words}
          onChange={(event) => setQuery({ q: event.currentTarget.value.trim() })}
        />
      </div>
      {words === '' ? <List app={app} user={user} /> : <MemorySearch place={{ app, user }} words={words} />}
    </Page>
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
