import type { Signal } from '@preact/signals';
import { loadApps } from '../../data/apps.ts';
import { useQuery } from '../../data/query.ts';
import { RunBadge } from '../../kit/badge.tsx';
import { Button, LinkButton } from '../../kit/button.tsx';
import { runPath } from '../../parts/run-path.ts';
import { base, go, href, screen } from '../../shell/router.ts';
import { t } from '../../texts.ts';
import type { Thread } from './thread.ts';
import { userQuery } from './user-query.ts';

interface ChatHeadProps {
  readonly app: string;
  readonly user: string;
  readonly thread: Thread | undefined;
  readonly hasState: Signal<boolean>;
}

export function ChatHead({ app, user, thread, hasState }: ChatHeadProps) {
  const apps = useQuery('apps', loadApps).data ?? [];
  const run = thread?.run.value;
  return (
    <header class="chat-head">
      <h1 class="hidden-text">{t.chat.title}</h1>
      <select
        class="input"
        aria-label={t.chat.agent}
        value={app}
        onChange={(event) => go(screen`/chat/${event.currentTarget.value}` + userQuery(user))}
      >
        {apps.map(({ name, title }) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </select>
      <span class="grow" />
      {run && (
        <a class="run-link" href={base + runPath(run)} title={t.chat.openRun}>
          <RunBadge status={thread.isRunning.value && run.status !== 'queued' ? 'running' : run.status} />
        </a>
      )}
      {thread && (
        <Button
          kind="quiet"
          icon="panel"
          label={t.chat.toggleState}
          pressed={hasState.value}
          onPress={() => (hasState.value = !hasState.value)}
        />
      )}
      <LinkButton icon="plus" href={href`/chat/${app}` + userQuery(user)}>
        <span class="wide-only">{t.chat.newChat}</span>
      </LinkButton>
    </header>
  );
}
