import type { ChatTransport, FinishReason, UIMessage, UIMessageChunk } from 'ai';
import type { AgentMesh, Run, RunStream } from '../index.ts';
import { ConflictError } from '../errors.ts';
import { answersIn, contentOf } from './from-ui-message.ts';
import { createChunker } from './to-chunks.ts';

/** Options of a chat. */
export interface MeshChatOptions {
  readonly mesh: AgentMesh;
  /** Name of the app that answers. */
  readonly app: string;
  /** The end user who writes. */
  readonly user: string;
}

type SendOptions = Parameters<ChatTransport<UIMessage>['sendMessages']>[0];
type Chunks = ReadableStream<UIMessageChunk>;

/**
 * Lets `useChat` of the AI SDK talk to an agent of the mesh: `useChat({ transport: new MeshChatTransport({ mesh, app, user }) })`. A chat is a session of the same
 * id, and a message a run. `stop()` cancels the run; with `resume: true` a page that is loaded again goes on with it. Calls of tools come as dynamic tools,
 * and approvals as the SDK's own: answer them by `addToolApprovalResponse`, and send by `lastAssistantMessageIsCompleteWithApprovalResponses`. A long-running tool is
 * a call without an output, which `addToolOutput` gives; send it by `lastAssistantMessageIsCompleteWithToolCalls`.
 */
export class MeshChatTransport implements ChatTransport<UIMessage> {
  readonly resumeStreamIsReplay = true;
  readonly #options: MeshChatOptions;

  constructor(options: MeshChatOptions) {
    this.#options = options;
  }

  /** Sends the newest message, or the answers to what the run waits for. A message that is to be answered again is sent again. */
  async sendMessages({ trigger, chatId, messages, abortSignal }: SendOptions): Promise<Chunks> {
    const { mesh, app, user } = this.#options;
    const last = trigger === 'regenerate-message' ? undefined : messages.at(-1);
    const answers = last?.role === 'assistant' ? answersIn(last) : [];
    if (answers.length > 0) return this.#answer(chatId, answers, abortSignal);
    const message = messages.findLast(({ role }) => role === 'user');
    if (message === undefined) throw new TypeError('There is no message of the user to send.');
    await this.#makeSession(chatId);
    return read(mesh.runs.stream({ app, user, session: chatId, message: contentOf(message) }), abortSignal);
  }

  /** The run of the chat that is not over, from its beginning; null when there is none. */
  async reconnectToStream({ chatId }: { readonly chatId: string }): Promise<Chunks | null> {
    const run = await this.#newestRun(chatId, ['queued', 'running', 'waiting']);
    return run === undefined ? null : read(this.#options.mesh.runs.watch(run), undefined);
  }

  async #answer(
    chatId: string,
    answers: ReturnType<typeof answersIn>,
    signal: AbortSignal | undefined,
  ): Promise<Chunks> {
    const { mesh } = this.#options;
    const waiting = await this.#newestRun(chatId, ['waiting']);
    const asked = new Set(waiting?.waitingFor?.map(({ functionCallId }) => functionCallId));
    const awaited = answers.filter(({ id }) => asked.has(id));
    if (waiting === undefined || awaited.length === 0) throw new Error('The chat waits for no answer any more.');
    // The events behind the place where it waits are the rest of the run.
    const after = await lastIdOf(mesh.runs.watch(waiting));
    await mesh.runs.answer(waiting, awaited, waiting);
    return read(mesh.runs.watch(waiting, { after }), signal);
  }

  async #makeSession(sessionId: string): Promise<void> {
    const { mesh, app, user } = this.#options;
    await mesh.sessions.create({ app, user }, { sessionId }).catch((error: unknown) => {
      if (!(error instanceof ConflictError)) throw error;
    });
  }

  async #newestRun(session: string, statuses: readonly Run['status'][]): Promise<Run | undefined> {
    const { mesh, app, user } = this.#options;
    const { items } = await mesh.runs.list({ app, user, session, limit: 10 }).page();
    return items.find(({ status }) => statuses.includes(status));
  }
}

async function lastIdOf(run: RunStream): Promise<string | undefined> {
  await run.final();
  return run.lastEventId;
}

/** The run as the AI SDK reads it. Leaving the stream leaves the run alone; the signal cancels it. */
function read(run: RunStream, signal: AbortSignal | undefined): Chunks {
  const cancel = (): void => void run.cancel().catch(() => undefined);
  if (signal?.aborted === true) cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  const chunks = chunksOf(run);
  return new ReadableStream<UIMessageChunk>({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done !== true) return controller.enqueue(value);
      signal?.removeEventListener('abort', cancel);
      controller.close();
    },
    async cancel() {
      signal?.removeEventListener('abort', cancel);
      await chunks.return(undefined);
    },
  });
}

async function* chunksOf(run: RunStream): AsyncGenerator<UIMessageChunk, undefined> {
  yield { type: 'start', messageId: await run.id };
  const chunker = createChunker();
  for await (const event of run) yield* chunker.add(event);
  yield* chunker.end();
  const { record } = await run.final();
  yield* endOf(record);
  return undefined;
}

function endOf({ status, errorMessage, errorCode }: Run): UIMessageChunk[] {
  if (status === 'failed')
    return [{ type: 'error', errorText: errorMessage ?? errorCode ?? 'The run failed.' }, finish('error')];
  // With `interrupted` a page does not send the answers of its user again.
  if (status === 'cancelled' || status === 'interrupted') return [{ type: 'abort' }, finish('interrupted')];
  return [finish(status === 'waiting' ? 'tool-calls' : 'stop')];
}

function finish(finishReason: FinishReason): UIMessageChunk {
  return { type: 'finish', finishReason };
}
