import type { Run, WaitingCall } from '@agentmesh/client';
import { useEffect } from 'preact/hooks';
import { mesh } from '../../data/client.ts';
import { useList } from '../../data/list.ts';
import { invalidate } from '../../data/query.ts';
import { countWaiting } from '../../data/waiting.ts';
import { Button } from '../../kit/button.tsx';
import { Page } from '../../kit/page.tsx';
import { Empty, When } from '../../kit/states.tsx';
import { useStill } from '../../kit/still.ts';
import { Held } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { say } from '../../kit/toasts.tsx';
import { AppName } from '../../parts/app-name.tsx';
import { Asked } from '../../parts/approval.tsx';
import { runPath, sessionOf } from '../../parts/run-path.ts';
import { isTyping } from '../../shell/keys.ts';
import { base } from '../../shell/router.ts';
import { t } from '../../texts.ts';

/** Runs that wait for a person, to be answered in place. */
export function Inbox() {
  const list = useList({
    key: 'runs?inbox',
    read: () => mesh.runs.inbox({ limit: 50 }),
    idOf: runPath,
    everyMs: 5_000,
  });
  useAnswerKeys();
  return (
    <Page title={t.inbox.title} lead={t.inbox.lead} isNarrow>
      <When known={list} retry={() => invalidate('runs?inbox')}>
        {(runs) => <Entries runs={runs} more={list.more} />}
      </When>
    </Page>
  );
}

interface Entry {
  readonly run: Run;
  readonly call: WaitingCall;
}

const keyOf = ({ run, call }: Entry): string => `${runPath(run)}/${call.functionCallId}`;

/** Entries stay under the pointer, so that nobody answers another one than they have read. What was answered meanwhile cannot be pressed. */
function Entries({ runs, more }: { readonly runs: readonly Run[]; readonly more: (() => Promise<void>) | undefined }) {
  const now = runs.flatMap((run) => (run.waitingFor ?? []).map((call) => ({ run, call })));
  const { rows, held, handlers } = useStill(now, keyOf, { always: true });
  const open = new Set(now.map(keyOf));
  if (rows.length === 0) return <Empty icon="inbox" title={t.inbox.none} text={t.inbox.noneText} />;
  return (
    <>
      <p class="small muted for-keyboard">{t.inbox.keys}</p>
      <div class="live-table">
        <div class="stack" {...handlers}>
          {rows.map((entry) => (
            <Waiting key={keyOf(entry)} {...entry} isOver={!open.has(keyOf(entry))} />
          ))}
        </div>
        <Held count={held} />
      </div>
      {more && (
        <div class="row pill">
          <Button onPress={more}>{t.actions.more}</Button>
        </div>
      )}
    </>
  );
}

function Waiting({ run, call, isOver }: Entry & { readonly isOver: boolean }) {
  const { appName, userId, createTime, answerBy } = run;
  const answer = async (response: Readonly<Record<string, unknown>>): Promise<void> => {
    await mesh.runs.answer(run, { id: call.functionCallId, name: call.name, response }, run);
    say(t.inbox.answered);
    await Promise.all([invalidate('runs'), countWaiting()]);
  };
  return (
    <article class="stack tight" inert={isOver}>
      <div class="row small muted">
        <a href={base + runPath(run)} data-row>
          <AppName name={appName} />
        </a>
        <span>{userId}</span>
        <span class="grow" />
        <Time at={createTime} />
        {answerBy !== undefined && (
          <span>
            {t.inbox.until} <Time at={answerBy} />
          </span>
        )}
      </div>
      <Asked place={sessionOf(run)} id={call.functionCallId} call={call} answer={answer} />
    </article>
  );
}

/** `a` and `r` press the buttons of the chosen entry, if it is an approval. */
function useAnswerKeys(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || isTyping(event.target) || event.metaKey || event.ctrlKey) return;
      const index = { a: 0, r: 1 }[event.key];
      const entry = document.activeElement?.closest('article');
      if (index === undefined || !entry) return;
      entry.querySelectorAll<HTMLButtonElement>('.verdict > .button')[index]?.click();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}
