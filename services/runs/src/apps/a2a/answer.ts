import { type Artifact, type Part as A2aPart, type StreamResponse, type TaskStatus, TaskState } from '@a2a-js/sdk';
import type { Part } from '@google/genai';
import { RemoteFailure, RemoteTaskFailed } from './remote-failure.ts';
import { toParts } from './to-parts.ts';

const mostArtifacts = 256;
const mostParts = 10_000;
/** Goes before the words of a remote agent in a failure. */
export const saidMark = ' It said: ';
const failures: ReadonlyMap<TaskState, string> = new Map([
  [TaskState.TASK_STATE_FAILED, 'failed'],
  [TaskState.TASK_STATE_CANCELED, 'was cancelled'],
  [TaskState.TASK_STATE_REJECTED, 'was rejected'],
  [TaskState.TASK_STATE_AUTH_REQUIRED, 'needs a sign-in, which cannot be asked for here'],
]);

/** Collects the answer of a remote agent from what its stream says. */
export class RemoteAnswer {
  contextId = '';
  taskId = '';
  /** The task waits for the user's next message. */
  needsInput = false;
  /** The remote agent has said all. */
  isOver = false;
  readonly #artifacts = new Map<string, A2aPart[]>();
  #said: readonly A2aPart[] = [];
  #count = 0;

  /** Takes one piece; returns parts to show at once. Throws RemoteFailure when the task ended without success. */
  take({ payload }: StreamResponse): Part[] {
    switch (payload?.$case) {
      case 'message':
        this.contextId = payload.value.contextId || this.contextId;
        this.#said = payload.value.parts;
        this.isOver = true;
        return [];
      case 'task':
        this.#place(payload.value.contextId, payload.value.id);
        for (const artifact of payload.value.artifacts) this.#add(artifact, false);
        return this.#takeStatus(payload.value.status);
      case 'statusUpdate':
        this.#place(payload.value.contextId, payload.value.taskId);
        return this.#takeStatus(payload.value.status);
      case 'artifactUpdate':
        this.#place(payload.value.contextId, payload.value.taskId);
        if (payload.value.artifact !== undefined) this.#add(payload.value.artifact, payload.value.append);
        return [];
      case undefined:
        return [];
    }
  }

  /** The whole answer: the artifacts of the task, else what it said last. */
  get parts(): Part[] {
    const made = toParts([...this.#artifacts.values()].flat());
    return made.length > 0 && !this.needsInput ? made : toParts(this.#said);
  }

  #place(contextId: string, taskId: string): void {
    this.contextId = contextId || this.contextId;
    this.taskId = taskId || this.taskId;
  }

  #takeStatus(status: TaskStatus | undefined): Part[] {
    if (status === undefined) return [];
    const { state, message } = status;
    const parts = message?.parts ?? [];
    if (parts.length > 0) this.#said = parts;
    this.needsInput = state === TaskState.TASK_STATE_INPUT_REQUIRED;
    this.isOver = this.needsInput || state === TaskState.TASK_STATE_COMPLETED;
    const failure = failures.get(state);
    if (failure !== undefined) throw new RemoteTaskFailed(`The task of the remote agent ${failure}.${textOf(parts)}`);
    return state === TaskState.TASK_STATE_WORKING ? toParts(parts) : [];
  }

  #add({ artifactId, parts }: Artifact, append: boolean): void {
    if (!this.#artifacts.has(artifactId) && this.#artifacts.size >= mostArtifacts) {
      throw new RemoteFailure(`The remote agent answered with more than ${mostArtifacts} artifacts.`);
    }
    this.#count += parts.length;
    if (this.#count > mostParts)
      throw new RemoteFailure(`The remote agent answered with more than ${mostParts} parts.`);
    const known = this.#artifacts.get(artifactId);
    if (append && known !== undefined) for (const part of parts) known.push(part);
    else this.#artifacts.set(artifactId, [...parts]);
  }
}

function textOf(parts: readonly A2aPart[]): string {
  const text = toParts(parts)
    .map((part) => (part.thought === true ? '' : (part.text ?? '')))
    .join('');
  return text === '' ? '' : saidMark + text;
}
