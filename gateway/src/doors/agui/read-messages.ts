import { invalidInput } from './invalid-input.ts';
import { type Part, partsOf } from './user-message.ts';
import type { Message, RunAgentInput } from './run-input.ts';

/** Ids of tool messages that pages have made of results of this door begin so. */
export const ownResult = 'agentmesh-result:';

/** The new part of a conversation. */
export interface NewMessages {
  /** Parts of the new messages of the user. */
  readonly parts: readonly Part[];
  /** Id of the last message of the user. */
  readonly messageId: string | undefined;
  /** Tool messages of the page. */
  readonly answers: readonly Message[];
  /** Messages before the new ones. */
  readonly earlier: readonly Message[];
}

/**
 * Reads which messages the session does not have. Those are behind the last answer of an assistant; of them, when the session's last turn began with one of them and
 * failed for example, those behind that one. Throws InvalidRequest when nothing is new.
 *
 * @param lastId id of the last message that the session was given
 */
export function readMessages({ messages, resume }: RunAgentInput, lastId: string | undefined): NewMessages {
  const start = messages.findLastIndex(({ role }) => role === 'assistant') + 1;
  const tail = messages.slice(start);
  const answers = tail.filter(({ id, role }) => role === 'tool' && !id.startsWith(ownResult));
  const said = tail.filter(({ role }) => role === 'user');
  const unknown = said.slice(said.findIndex(({ id }) => id === lastId) + 1);
  const isAnswer = answers.length > 0 || (resume ?? []).length > 0;
  // A page that repeats the last message wants another answer.
  const news = isAnswer || unknown.length > 0 ? unknown : said;
  if (!isAnswer && news.length === 0)
    throw invalidInput(['messages'], 'the last message is one of the user or of a tool');
  return {
    parts: news.flatMap((message) => partsOf(message.content, ['messages', messages.indexOf(message), 'content'])),
    messageId: messages.findLast(({ role }) => role === 'user')?.id,
    answers,
    earlier: messages.slice(0, start),
  };
}
