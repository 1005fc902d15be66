import { mesh } from '../../data/client.ts';
import { Button } from '../../kit/button.tsx';
import { Markdown } from '../../kit/markdown/markdown.tsx';
import { say } from '../../kit/toasts.tsx';
import { Copy } from '../../kit/copy.tsx';
import { Asked } from '../../parts/approval.tsx';
import { ToolCall } from '../../parts/tool-call.tsx';
import { type Block, confirmation, type FunctionResponse, type Turn } from '../../parts/turns.ts';
import { go, screen } from '../../shell/router.ts';
import { t } from '../../texts.ts';
import { type Thread, threadOf } from './thread.ts';
import { takeUnsent, unsentOf } from './unsent.ts';
import { userQuery } from './user-query.ts';

interface MessageProps {
  readonly turn: Turn;
  readonly thread: Thread;
  readonly responses: ReadonlyMap<string, FunctionResponse>;
  readonly unapproved: ReadonlySet<string>;
}

export function Message({ turn, ...rest }: MessageProps) {
  const { thread } = rest;
  const words = turn.blocks
    .map((block) => (block.kind === 'text' ? block.text : ''))
    .join('\n')
    .trim();
  const isMine = turn.isUser;
  if (isMine && words === '' && turn.blocks.every(({ kind }) => kind !== 'file')) return null;
  return (
    <article class={isMine ? 'message mine' : 'message'}>
      {!isMine && <div class="author">{turn.author}</div>}
      {isMine && words !== '' && (
        <div class="bubble" dir="auto">
          {words}
        </div>
      )}
      {turn.blocks.map((block, index) =>
        isMine && block.kind === 'text' ? null : <OneBlock key={index} block={block} {...rest} />,
      )}
      <div class="row message-tools">
        {words !== '' && <Copy text={words} />}
        {isMine && (
          <Button kind="quiet" isTiny icon="retry" label={t.chat.edit} onPress={() => editFrom(thread, turn, words)} />
        )}
        <Button
          kind="quiet"
          isTiny
          icon="fork"
          label={t.chat.fork}
          onPress={async () => show(await forkAt(thread, turn.events.at(-1)?.id))}
        />
      </div>
    </article>
  );
}

interface OneBlockProps extends Omit<MessageProps, 'turn'> {
  readonly block: Block;
}

function OneBlock({ block, thread, responses, unapproved }: OneBlockProps) {
  if (block.kind === 'text') return <Markdown text={block.text} />;
  if (block.kind === 'error') return <p class="bad toned fault">{block.text}</p>;
  if (block.kind === 'thought') {
    return (
      <details class="thoughts">
        <summary>{t.chat.thoughts}</summary>
        <p class="thought" dir="auto">
          {block.text}
        </p>
      </details>
    );
  }
  if (block.kind === 'file') return <FileView {...block} />;
  const { call } = block;
  const response = responses.get(call.id ?? '');
  const waits = thread.run.value?.waitingFor?.some(({ functionCallId }) => functionCallId === call.id) === true;
  if (call.name === confirmation || (block.isLong && waits)) {
    const answer = (given: Readonly<Record<string, unknown>>) => thread.answer(call.id ?? '', call.name ?? '', given);
    return <Asked place={thread.place} id={call.id ?? ''} call={call} response={response} answer={answer} />;
  }
  return <ToolCall call={call} response={response} isUnapproved={unapproved.has(call.id ?? '')} />;
}

function FileView({ name, type, data }: Extract<Block, { kind: 'file' }>) {
  if (data !== undefined && /^image\/(png|jpeg|gif|webp)$/.test(type)) {
    return <img class="picture" src={`data:${type};base64,${data}`} alt={name} />;
  }
  return <span class="tag">{name || type}</span>;
}

/** A copy of the conversation to an event; without one to its end. */
async function forkAt({ place }: Thread, eventId: string | undefined): Promise<Thread> {
  const { id } = await mesh.sessions.fork(place, eventId === undefined ? {} : { eventId });
  say(t.chat.forked);
  return threadOf({ ...place, session: id });
}

/** Id of the event before one that is shown; undefined for the first of the conversation. */
async function eventBefore(thread: Thread, eventId: string): Promise<string | undefined> {
  const place = () => thread.events.value.findIndex(({ id }) => id === eventId);
  if (place() === 0 && thread.hasEarlier) await thread.loadEarlier();
  return thread.events.value[place() - 1]?.id;
}

/** Opens a new chat with the words of a message to change, below what was said before it. Its session is made when they are sent. */
async function editFrom(thread: Thread, turn: Turn, words: string): Promise<void> {
  const { app, user, session } = thread.place;
  const message = { edits: session, after: await eventBefore(thread, turn.events[0]?.id ?? '') };
  const chat = { app, user, ...message };
  takeUnsent(chat);
  unsentOf(chat).text.value = words;
  go(screen`/chat/${app}` + userQuery(user, message));
}

function show({ place: { app, user, session } }: Thread): void {
  go(screen`/chat/${app}/${session}` + userQuery(user));
}
