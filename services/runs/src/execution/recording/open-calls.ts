import { type Event, getFunctionCalls, getFunctionResponses } from '@google/adk/core';
import type { JsonObject } from '@agentmesh/proto/event';
import { AttemptEnd_Outcome, type Turn } from '@agentmesh/proto/sessions/v1';
import { parseMessage } from '../../apps/turns/events/event-json.ts';
import type { End } from './journal.ts';

/** A function call that a run waits for, in the form of LedgerRun.waiting_for_json. */
interface OpenCall {
  readonly functionCallId: string;
  readonly name: string;
  readonly args?: unknown;
  /** The event that made the call. */
  readonly eventId: string;
}

/** The calls of long-running tools that have no response yet. */
export interface OpenCalls {
  /** Adds the calls of an event, and removes those that it answers. */
  note(event: Event): void;
  /** Sets how the run waits. Default: for ever, without a mail. */
  waitAs(wait: WaitPolicy): void;
  /** The end of an attempt whose loop is over: completed, or waiting for the open calls. */
  completion(): End;
}

/** How a run waits for answers. */
export interface WaitPolicy {
  /** 0: for ever. */
  readonly answerSeconds: number;
  /** Whether the account is asked by mail. */
  readonly asksByMail: boolean;
}

const forEver: WaitPolicy = { answerSeconds: 0, asksByMail: false };
/** Most bytes of the array with arguments. */
const mostBytes = 32 * 1024;

/** Begins with the calls of earlier attempts that the message of the turn does not answer. */
export function createOpenCalls(turn: Turn): OpenCalls {
  return new CallsOfRun(unansweredBefore(turn));
}

class CallsOfRun implements OpenCalls {
  #policy: WaitPolicy = forEver;
  readonly #calls: OpenCall[];

  constructor(calls: OpenCall[]) {
    this.#calls = calls;
  }

  note(event: Event): void {
    for (const { id, name = '', args } of getFunctionCalls(event)) {
      if (id === undefined || event.longRunningToolIds?.includes(id) !== true) continue;
      const call = { functionCallId: id, name, ...(args && { args }), eventId: event.id };
      const index = this.#indexOf(id);
      this.#calls.splice(index === -1 ? this.#calls.length : index, 1, call);
    }
    for (const { id } of getFunctionResponses(event)) {
      const index = id === undefined ? -1 : this.#indexOf(id);
      if (index !== -1) this.#calls.splice(index, 1);
    }
  }

  waitAs(wait: WaitPolicy): void {
    this.#policy = wait;
  }

  completion(): End {
    if (this.#calls.length === 0) return { outcome: AttemptEnd_Outcome.COMPLETED };
    return { outcome: AttemptEnd_Outcome.WAITING, waitingForJson: toJson(this.#calls), ...this.#policy };
  }

  #indexOf(id: string): number {
    return this.#calls.findIndex(({ functionCallId }) => functionCallId === id);
  }
}

function toJson(calls: readonly OpenCall[]): Uint8Array {
  const all = Buffer.from(JSON.stringify(calls));
  if (all.length <= mostBytes) return all;
  return Buffer.from(JSON.stringify(calls.map(({ args: _, ...call }) => call)));
}

function unansweredBefore({ waitingForJson, messageJson }: Turn): OpenCall[] {
  if (waitingForJson.length === 0) return [];
  const calls = JSON.parse(Buffer.from(waitingForJson).toString()) as OpenCall[];
  const parts = messageJson.length === 0 ? [] : (parseMessage(messageJson).parts ?? []);
  const answered = new Set(parts.map(({ functionResponse }) => (functionResponse as JsonObject | undefined)?.id));
  return calls.filter(({ functionCallId }) => !answered.has(functionCallId));
}
