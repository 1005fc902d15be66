import { mesh } from '../../data/client.ts';
import { useList } from '../../data/list.ts';
import { Button } from '../../kit/button.tsx';
import { shortId } from '../../kit/page.tsx';
import { Skeleton } from '../../kit/states.tsx';
import { Time } from '../../kit/time.tsx';
import { href } from '../../shell/router.ts';
import { t } from '../../texts.ts';
import { titleOf } from '../../data/titles.ts';
import { userQuery } from './user-query.ts';

interface SessionListProps {
  readonly app: string;
  readonly user: string;
  readonly session: string | undefined;
}

/** The chats with one agent, newest first. */
export function SessionList({ app, user, session }: SessionListProps) {
  const { data, error, more } = useList({
    key: `sessions?${app}&${user}`,
    read: () => mesh.sessions.list({ app, user }, { order: 'desc', limit: 40 }),
    idOf: ({ id }) => id,
  });
  return (
    <nav class="chats" aria-label={t.chat.sessions}>
      <h2 class="nav-group">{t.chat.sessions}</h2>
      {data === undefined && error === undefined && <Skeleton />}
      {data?.length === 0 && <p class="small muted chats-none">{t.chat.noSessions}</p>}
      {data?.map(({ id, lastUpdateTime }) => (
        <a
          key={id}
          class="nav"
          href={href`/chat/${app}/${id}` + userQuery(user)}
          aria-current={id === session ? 'page' : undefined}
        >
          <span class="grow clip">{titleOf(id) ?? <code>{shortId(id)}</code>}</span>
          <span class="small">
            <Time at={lastUpdateTime} />
          </span>
        </a>
      ))}
      {more && (
        <Button kind="quiet" isTiny onPress={more}>
          {t.actions.more}
        </Button>
      )}
    </nav>
  );
}
