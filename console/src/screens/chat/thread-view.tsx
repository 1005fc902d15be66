import type { Event } from '@agentmesh/client';
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { loadApps } from '../../data/apps.ts';
import { useQuery } from '../../data/query.ts';
import { sessionKey } from '../../data/session-record.ts';
import { Button } from '../../kit/button.tsx';
import { Markdown } from '../../kit/markdown/markdown.tsx';
import { Failure, Skeleton } from '../../kit/states.tsx';
import { responsesOf, turnsOf, unapprovedOf } from '../../parts/turns.ts';
import { href } from '../../shell/router.ts';
import { t } from '../../texts.ts';
import { Message } from './message.tsx';
import type { Thread } from './thread.ts';
import { userQuery } from './user-query.ts';

interface ThreadViewProps {
  readonly app: string;
  readonly thread: Thread | undefined;
  /** Id of the last event that is shown, where a later message is edited in a new chat. */
  readonly until?: string | undefined;
}

/** The conversation so far. It follows its end, unless its reader has scrolled away. */
export function ThreadView({ app, thread, until }: ThreadViewProps) {
  const ref = useRef<HTMLDivElement>(null);
  const follows = useSignal(true);
  useLayoutEffect(() => {
    const [outer, inner] = [ref.current, ref.current?.firstElementChild];
    if (!outer || !inner) return undefined;
    const observer = new ResizeObserver(() => follows.peek() && outer.scrollTo(0, outer.scrollHeight));
    observer.observe(inner);
    return () => observer.disconnect();
  }, []);
  const onScroll = (): void => {
    const { scrollTop = 0, clientHeight = 0, scrollHeight = 0 } = ref.current ?? {};
    follows.value = scrollHeight - scrollTop - clientHeight < 60;
  };
  return (
    // Scrolled by keyboard too.
    <div class="thread" ref={ref} onScroll={onScroll} tabIndex={0} role="log" aria-label={t.chat.title}>
      <div class="thread-inner">
        {thread === undefined ? <Hello app={app} /> : <Messages thread={thread} until={until} />}
      </div>
    </div>
  );
}

function Hello({ app }: { readonly app: string }) {
  const found = useQuery('apps', loadApps).data?.find(({ name }) => name === app);
  return (
    <div class="hello">
      <h2>{found?.title ?? app}</h2>
      <p class="muted">{found?.description || t.chat.hello}</p>
    </div>
  );
}

function Messages({ thread, until }: { readonly thread: Thread; readonly until: string | undefined }) {
  const { app } = thread.place;
  useQuery(`runs?chat&${sessionKey(thread.place)}`, () => thread.follow(), { everyMs: 10_000 });
  const { error, isLoaded } = thread;
  if (!isLoaded.value) {
    const back = { href: href`/chat/${app}` + userQuery(thread.place.user), text: t.chat.newChat };
    return error.value ? <Failure error={error.value} retry={() => thread.load()} back={back} /> : <Skeleton />;
  }
  const all = thread.events.value;
  const events = until === undefined ? all : all.slice(0, all.findIndex(({ id }) => id === until) + 1);
  const answers = { responses: responsesOf(events), unapproved: unapprovedOf(events) };
  return (
    <>
      {thread.hasEarlier && (
        <div class="row pill">
          <Button isTiny onPress={() => thread.loadEarlier()}>
            {t.chat.more}
          </Button>
        </div>
      )}
      {turnsOf(events).map((turn, index) => (
        <Message key={turn.events[0]?.id ?? index} turn={turn} thread={thread} {...answers} />
      ))}
      {until === undefined && <Present thread={thread} />}
    </>
  );
}

/** What the events do not have yet: the message that is sent, the words of agents so far, and how the run goes or has ended. */
function Present({ thread }: { readonly thread: Thread }) {
  const { events, drafts, sent, isRunning, run, queuePlace, isGapped } = thread;
  return (
    <>
      {sent.value && (
        <article class="message mine">
          <div class="bubble" dir="auto">
            {(sent.value.parts ?? []).map((part) => part.text ?? part.inlineData?.displayName).join('\n')}
          </div>
        </article>
      )}
      {Array.from(drafts.value, ([key, draft]) => (
        <article key={key} class="message">
          <div class="author">{draft.author}</div>
          {draft.thought && (
            <p class="thought" dir="auto">
              {draft.thought}
            </p>
          )}
          <Markdown text={draft.text} />
        </article>
      ))}
      {isGapped.value && <p class="small muted">{t.chat.gap}</p>}
      {isRunning.value && drafts.value.size === 0 && <Working place={queuePlace.value} />}
      {!isRunning.value && run.value?.status === 'failed' && !hasError(events.value.at(-1)) && (
        <p class="bad toned fault">{run.value.errorMessage}</p>
      )}
      {!isRunning.value && run.value?.status === 'cancelled' && <p class="small muted">{t.chat.stopped}</p>}
    </>
  );
}

/** True for an event that tells itself that its run has failed. */
function hasError(event: Event | undefined): boolean {
  return (event?.errorMessage ?? event?.errorCode ?? '') !== '';
}

function Working({ place }: { readonly place: number | undefined }) {
  return (
    <p class="working badge live busy" role="status">
      {place === undefined ? t.chat.thinking : `${t.chat.queued} ${place}`}
    </p>
  );
}
