import { BaseAgent, type BaseAgentConfig, createEvent, type Event, type InvocationContext } from '@google/adk/core';
import { accountOf } from '../../models/use/model-caller.ts';
import type { RemoteLink } from './remote-link.ts';
import { sinceLastAnswer } from './last-answer.ts';

const never = new AbortController().signal;

/** An agent that runs elsewhere. A failure is an event with an error, like that of a model. */
export class RemoteAgent extends BaseAgent {
  readonly #link: RemoteLink;

  constructor(config: BaseAgentConfig, link: RemoteLink) {
    super(config);
    this.#link = link;
  }

  protected override async *runAsyncImpl(context: InvocationContext): AsyncGenerator<Event, void, void> {
    const { session, invocationId, branch, abortSignal: signal = never } = context;
    const accountId = accountOf(session) ?? '';
    const events = sinceLastAnswer(session.events, this.name);
    const ask = { accountId, events, state: (key: string) => session.state[key], signal };
    for await (const { parts, ...fields } of this.#link.ask(ask)) {
      yield createEvent({
        ...fields,
        invocationId,
        author: this.name,
        ...(branch !== undefined && { branch }),
        ...(parts !== undefined && { content: { role: 'model', parts } }),
      });
    }
  }

  protected override async *runLiveImpl(): AsyncGenerator<Event, void, void> {
    yield* [];
    throw new Error('A remote agent takes no live conversation.');
  }
}
