import { BaseLlm, type BaseLlmConnection, type LlmRequest, type LlmResponse } from '@google/adk/core';
import { tellRun } from '../../tell-run.ts';
import { liveUnsupported } from '../live-unsupported.ts';
import type { CallEnd } from '../call-end.ts';
import type { ModelFailure } from '../model-failure.ts';
import { pause } from '../pause.ts';
import { callerOf } from '../use/model-caller.ts';
import type { RunWait } from '../use/run-waits.ts';
import type { Connection } from './connection.ts';
import { describeFailure } from './failure/describe-failure.ts';
import { errorFacts } from './failure/loggable-error.ts';
import { retryDelayMs } from './failure/retry-delay.ts';
import { refusedAnswer } from './failure/refused-answer.ts';
import { policyOf, type RetryPolicy, type UsualRetries, usualPolicy } from './failure/retry-policy.ts';
import { Speech } from './speech.ts';
import { streamOnce } from './stream-once.ts';
import { toCallOptions } from './request/to-call-options.ts';
import { Watchdog } from './watchdog.ts';

export interface AiSdkLlmOptions {
  /** The name the app uses, e.g. `openai/gpt-5-mini`. */
  readonly model: string;
  /** Called before every model call, so that credentials may change. An error that it throws becomes the answer. `signal` aborts when the call is not wanted any more. */
  readonly connect: (request: LlmRequest, signal?: AbortSignal) => Connection | Promise<Connection>;
  /** Longest silence of the model before its first part, and between two parts, in milliseconds. */
  readonly timeoutMs: number;
  /** The policy for agents without `retry_options`. */
  readonly retries?: UsualRetries;
  readonly onFailure?: (failure: ModelFailure) => void;
}

/** Most characters of a vendor's message in the log. */
const longestLogged = 200;

/** One attempt of a model call. */
interface Attempt {
  readonly connection: Connection;
  readonly request: LlmRequest;
  readonly stream: boolean;
  /** Longest time in milliseconds until its first part. */
  readonly firstMs: number;
  readonly signal: AbortSignal | undefined;
  readonly speech: Speech;
}

interface Counted {
  readonly connection: Connection;
  readonly speech: Speech;
  readonly responses: AsyncGenerator<LlmResponse, void>;
}

/**
 * A model of the AI SDK as a model of ADK. Partial responses carry text and thoughts only; function calls come in the
 * last, whole response. Every failure ends as a response with `errorCode` and `errorMessage`; an abort ends without one.
 * A call that fails before its first part is tried again where that can help: as the request's `retry_options` say, else so that a second attempt
 * and those after it end within 15 s of the first, unless the model has begun to answer.
 */
export class AiSdkLlm extends BaseLlm {
  readonly #options: AiSdkLlmOptions;

  constructor(options: AiSdkLlmOptions) {
    super({ model: options.model });
    this.#options = options;
  }

  override async *generateContentAsync(
    request: LlmRequest,
    stream = false,
    signal?: AbortSignal,
  ): AsyncGenerator<LlmResponse, void> {
    this.maybeAppendUserContent(request);
    let connection: Connection;
    try {
      connection = await this.#options.connect(request, signal);
    } catch (error) {
      if (!isAborted(signal)) yield this.#fail(error, []);
      return;
    }
    const step = callerOf(request)?.waits?.step();
    if (step !== undefined) await step;
    if (isAborted(signal)) {
      // The call was not sent.
      connection.onEnd?.({ usage: undefined, answered: undefined, outcome: 'failed' });
      return;
    }
    using wait = callerOf(request)?.waits?.begin('model');
    const speech = new Speech(connection.onSpoke);
    const responses = this.#attempts({ connection, request, stream, signal, speech });
    yield* this.#counted({ connection, speech, responses }, wait);
  }

  /** Passes responses on and tells how the call ended: before the last response, or when the caller leaves. */
  async *#counted(
    { connection: { onEnd }, speech, responses }: Counted,
    wait?: RunWait,
  ): AsyncGenerator<LlmResponse, void> {
    let usage: LlmResponse['usageMetadata'];
    let answered: string | undefined;
    let isOver = false;
    try {
      for await (const response of responses) {
        if (response.errorCode === undefined) speech.begin();
        usage = response.usageMetadata ?? usage;
        answered = response.modelVersion ?? answered;
        if (response.partial !== true && !isOver) {
          isOver = true;
          onEnd?.({ usage, answered, outcome: outcomeOf(response, speech.hasBegun) });
        }
        wait?.touch();
        yield response;
      }
    } finally {
      if (!isOver) onEnd?.({ usage, answered, outcome: 'left' });
    }
  }

  async *#attempts(call: Omit<Attempt, 'firstMs'>): AsyncGenerator<LlmResponse, void> {
    const { timeoutMs } = this.#options;
    const policy = this.#policy(call.request);
    const startedAt = performance.now();
    const elapsedMs = (): number => performance.now() - startedAt;
    let spoke = false;
    for (let attempt = 0; !isAborted(call.signal); attempt += 1) {
      const firstMs = attempt === 0 ? timeoutMs : policy.windowMs - elapsedMs();
      try {
        for await (const response of this.#attempt({ ...call, firstMs })) {
          spoke = true;
          yield response;
        }
        return;
      } catch (error) {
        if (isAborted(call.signal)) return;
        const delayMs = spoke ? undefined : retryDelayMs(error, { attempt, elapsedMs: elapsedMs(), policy });
        if (delayMs === undefined) {
          yield* this.#failInStep(error, call);
          return;
        }
        this.#tellRepeat(error, delayMs, call.connection.secrets);
        await pause(delayMs, call.signal);
        await callerOf(call.request)?.waits?.again();
        await callerOf(call.request)?.lease?.hold();
      }
    }
  }

  /** Tells a failure when the account of the run has a step. Nothing when the run was stopped meanwhile. */
  async *#failInStep(
    error: unknown,
    { connection, request, signal }: Omit<Attempt, 'firstMs'>,
  ): AsyncGenerator<LlmResponse, void> {
    await callerOf(request)?.waits?.step();
    if (!isAborted(signal)) yield this.#fail(error, connection.secrets);
  }

  #tellRepeat(error: unknown, delayMs: number, secrets: readonly string[]): void {
    const { model } = this.#options;
    const { errorCode, errorMessage } = describeFailure(error, secrets);
    const after = `in ${(delayMs / 1_000).toFixed(1)} s`;
    const message = `The call of the model ${model} is repeated ${after}: ${errorMessage}`;
    tellRun({ level: 'warn', message, attributes: { model, errorCode } });
  }

  #policy({ config }: LlmRequest): RetryPolicy {
    const { retries } = this.#options;
    const own = config?.httpOptions?.retryOptions;
    return typeof own === 'object' && own !== null ? policyOf(own, retries?.mostRetries) : usualPolicy(retries);
  }

  override connect(): Promise<BaseLlmConnection> {
    return Promise.reject(liveUnsupported(this.model));
  }

  async *#attempt({
    connection,
    request,
    stream,
    firstMs,
    signal,
    speech,
  }: Attempt): AsyncGenerator<LlmResponse, void> {
    const { timeoutMs } = this.#options;
    const { timeout: ownMs = timeoutMs } = request.config?.httpOptions ?? {};
    // Code may set any value. Gemini's SDK takes one that is not positive as none.
    const patienceMs = ownMs > 0 ? Math.min(timeoutMs, ownMs) : timeoutMs;
    const watchdog = new Watchdog({ timeoutMs: patienceMs, firstMs }, signal);
    try {
      const call = toCallOptions(request, connection.dialect);
      yield* streamOnce({ connection, call, watchdog, stream, speech });
    } catch (error) {
      throw watchdog.expired ?? refusedAnswer(error) ?? error;
    } finally {
      watchdog.end();
    }
  }

  #fail(cause: unknown, secrets: readonly string[]): LlmResponse {
    const { model, onFailure } = this.#options;
    const failure = describeFailure(cause, secrets);
    const errorMessage = failure.errorMessage.slice(0, longestLogged);
    const message = `The model ${model} has failed: ${failure.errorMessage}`;
    tellRun({ level: 'error', message, attributes: { model, errorCode: failure.errorCode } });
    onFailure?.({ model, errorCode: failure.errorCode, errorMessage, cause: errorFacts(cause) });
    return failure;
  }
}

/** The outcome by the last response. An answer that the model ended early has a `finishReason`; one that broke off has not. */
function outcomeOf({ errorCode, finishReason }: LlmResponse, hasSpoken: boolean): CallEnd['outcome'] {
  if (errorCode === undefined || finishReason !== undefined) return 'answered';
  return hasSpoken ? 'left' : 'failed';
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}
