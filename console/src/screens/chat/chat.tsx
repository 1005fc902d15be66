import './chat.css';
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { loadApps } from '../../data/apps.ts';
import { keep, kept } from '../../data/kept.ts';
import { useQuery } from '../../data/query.ts';
import { keepTitle } from '../../data/titles.ts';
import { LinkButton } from '../../kit/button.tsx';
import { useTitle } from '../../kit/page.tsx';
import { Empty, When } from '../../kit/states.tsx';
import { base, go, type Params, query, screen } from '../../shell/router.ts';
import { t } from '../../texts.ts';
import { Composer } from './composer.tsx';
import { ChatHead } from './head.tsx';
import { SessionList } from './session-list.tsx';
import { StatePanel } from './state-panel.tsx';
import { beginThread, sourceOf, type Thread, threadOf } from './thread.ts';
import { ThreadView } from './thread-view.tsx';
import { takeUnsent, unsentOf } from './unsent.ts';
import { userQuery } from './user-query.ts';

const lastApp = 'chat.app';

/** A conversation with any agent. */
export function Chat({ params }: { readonly params: Params }) {
  useTitle(t.chat.title);
  const apps = useQuery('apps', loadApps);
  return (
    <When known={apps}>
      {(list) => {
        const named = params['app'];
        const wanted = named === undefined ? [kept(lastApp), 'echo', list[0]?.name] : [named];
        const app = wanted.map((it) => list.find(({ name }) => name === it)).find((it) => it !== undefined);
        if (app === undefined) return list.length === 0 ? <NoAgents /> : <NoSuchAgent />;
        return <Conversation key={app.name} app={app.name} session={params['session']} />;
      }}
    </When>
  );
}

function Conversation({ app, session }: { readonly app: string; readonly session: string | undefined }) {
  const user = query.value.get('user') ?? 'user';
  const [edits, after] = ['edits', 'after'].map((name) => query.value.get(name) ?? undefined);
  const chat = { app, user, edits, after };
  const [hasState, isSending] = [useSignal(false), useSignal(false)];
  const thread = session === undefined ? undefined : threadOf({ app, user, session });
  const shown = thread ?? sourceOf(chat);
  useEffect(() => keep(lastApp, app), [app]);
  useEffect(() => {
    if (shown !== undefined && !shown.isRunning.peek()) void shown.load();
  }, [shown]);
  const send = async (message: Parameters<Thread['send']>[0]): Promise<void> => {
    const words = (message.parts ?? []).map((part) => part.text ?? '').join(' ');
    const it = thread ?? (await beginThread(chat));
    if (thread === undefined || it.events.peek().length === 0) keepTitle(it.place.session, words);
    const sending = it.send(message);
    if (thread === undefined) {
      it.unsent = takeUnsent(chat);
      go(screen`/chat/${app}/${it.place.session}` + userQuery(user), { replaces: true });
    }
    await sending;
  };
  return (
    <div
      class={['chat', hasState.value && thread && 'with-state', shown === undefined && 'is-new']
        .filter(Boolean)
        .join(' ')}
    >
      <SessionList app={app} user={user} session={session} />
      <section class="chat-main" aria-label={t.chat.title}>
        <ChatHead app={app} user={user} thread={thread} hasState={hasState} />
        <ThreadView app={app} thread={shown} until={thread ? undefined : after} />
        <Composer
          key={session ?? `${edits} ${after}`}
          thread={thread}
          unsent={thread?.unsent ?? unsentOf(chat)}
          isSending={isSending}
          send={send}
        />
      </section>
      {hasState.value && thread && <StatePanel place={thread.place} onClose={() => closeState(hasState)} />}
    </div>
  );
}

/** Closes the panel of the state. The focus goes from its button to the one that opens it. */
function closeState(hasState: Signal<boolean>): void {
  hasState.value = false;
  document.querySelector<HTMLElement>('.chat-head [aria-pressed]')?.focus();
}

function NoSuchAgent() {
  return (
    <Empty icon="agents" title={t.states.noAgent} text={t.states.notFoundText}>
      <LinkButton href={`${base}/agents`}>{t.nav.agents}</LinkButton>
    </Empty>
  );
}

function NoAgents() {
  return <Empty icon="agents" title={t.chat.noAgents} text={t.chat.noAgentsText} />;
}
