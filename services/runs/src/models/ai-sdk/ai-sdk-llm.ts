import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { BaseLlm, type BaseLlmConnection, type LlmRequest, type LlmResponse } from '@google/adk';
import { liveUnsupported } from '../live-unsupported.ts';
import type { ModelFailure } from '../models.ts';
import { pause } from '../pause.ts';
import { describeFailure } from './describe-failure.ts';
import { errorFacts } from './loggable-error.ts';
import { retryDelayMs } from './retry-delay.ts';
import { streamOnce } from './stream-once.ts';
import { toCallOptions } from './to-call-options.ts';
import { Watchdog } from './watchdog.ts';

export interface AiSdkLlmOptions {
  /** The name the app uses, e.g. `openai/gpt-5-mini`. */
  readonly model: string;
  readonly languageModel: LanguageModelV4;
  /** How long the model may take to its first part, and between two parts, in milliseconds. */
  readonly timeoutMs: number;
  /** Texts that no error message may show. */
  readonly secrets: readonly string[];
  readonly providerOptions?: NonNullable<LanguageModelV4CallOptions['providerOptions']>;
  readonly onFailure?: (failure: ModelFailure) => void;
}

/** Characters of a vendor's message that the log may hold. */
const longestLogged = 200;

/** What one attempt is given. */
interface Attempt {
  readonly call: LanguageModelV4CallOptions;
  readonly stream: boolean;
  readonly signal: AbortSignal | undefined;
}

/**
 * A model of the AI SDK as a model of ADK. Partial responses carry text and thoughts only; function calls come in the
 * last, whole response. Every failure ends as a response with `errorCode` and `errorMessage`; an abort ends without one.
 * A call that fails before its first part is tried again for at most 15 s, where that can help.
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
    const startedAt = performance.now();
    let spoke = false;
    for (let attempt = 0; !isAborted(signal); attempt += 1) {
      try {
        const call = this.#callOptions(request);
        for await (const response of this.#attempt({ call, stream, signal })) {
          spoke = true;
          yield response;
        }
        return;
      } catch (error) {
        if (isAborted(signal)) return;
        const elapsedMs = performance.now() - startedAt;
        const delayMs = spoke ? undefined : retryDelayMs(error, { attempt, elapsedMs });
        if (delayMs === undefined) {
          yield this.#fail(error);
          return;
        }
        await pause(delayMs, signal);
      }
    }
  }

  override connect(): Promise<BaseLlmConnection> {
    return Promise.reject(liveUnsupported(this.model));
  }

  #callOptions(request: LlmRequest): LanguageModelV4CallOptions {
    const { providerOptions } = this.#options;
    return { ...toCallOptions(request), ...(providerOptions === undefined ? {} : { providerOptions }) };
  }

  async *#attempt({ call, stream, signal }: Attempt): AsyncGenerator<LlmResponse, void> {
    const watchdog = new Watchdog(this.#options.timeoutMs, signal);
    const { languageModel } = this.#options;
    try {
      yield* streamOnce({ languageModel, call, watchdog, stream });
    } catch (error) {
      throw watchdog.expired ?? error;
    } finally {
      watchdog.end();
    }
  }

  #fail(cause: unknown): LlmResponse {
    const { model, secrets, onFailure } = this.#options;
    const failure = describeFailure(cause, secrets);
    const errorMessage = failure.errorMessage.slice(0, longestLogged);
    onFailure?.({ model, errorCode: failure.errorCode, errorMessage, cause: errorFacts(cause) });
    return failure;
  }
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}
