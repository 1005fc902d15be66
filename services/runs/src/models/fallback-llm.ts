import { BaseLlm, type BaseLlmConnection, type LlmRequest, type LlmResponse } from '@google/adk/core';
import { Cooldown } from './cooldown.ts';

interface FallbackOptions {
  /** Time in milliseconds for which a model that was away is not asked while others can be. Absent or 0: it is always asked. */
  readonly cooldownMs?: number;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
}

interface Candidate {
  readonly model: BaseLlm;
  readonly cooldown: Cooldown;
}

/**
 * Several models as one: when a model fails before it has shown anything, the next one is asked. A model that was away is passed over for a while.
 * Responses of a model that took over name it in `customMetadata.model`, and those that failed or were passed over in `customMetadata.failed_models`.
 */
export class FallbackLlm extends BaseLlm {
  readonly #candidates: readonly Candidate[];

  /** `first` gives it its name. */
  constructor(first: BaseLlm, others: readonly BaseLlm[], options: FallbackOptions = {}) {
    super({ model: first.model });
    const { cooldownMs = 0, now = () => performance.now() } = options;
    this.#candidates = [first, ...others].map((model) => ({ model, cooldown: new Cooldown(cooldownMs, now) }));
  }

  override async *generateContentAsync(
    request: LlmRequest,
    stream = false,
    signal?: AbortSignal,
  ): AsyncGenerator<LlmResponse, void> {
    const failed: string[] = [];
    const ready = this.#candidates.filter(({ cooldown }) => !cooldown.isCooling);
    const asked = ready.length === 0 ? this.#candidates : ready;
    if (asked.length < this.#candidates.length) {
      failed.push(...this.#candidates.filter((one) => !asked.includes(one)).map(({ model }) => model.model));
    }
    for (const candidate of asked) {
      const call = { isLast: candidate === asked.at(-1), request, stream, signal };
      const hasFailed = yield* ask(candidate, failed, call);
      if (!hasFailed || signal?.aborted === true) return;
      failed.push(candidate.model.model);
    }
  }

  override connect(request: LlmRequest): Promise<BaseLlmConnection> {
    return (this.#candidates[0]?.model ?? this).connect(request);
  }
}

interface Call {
  /** No other model takes over. */
  readonly isLast: boolean;
  readonly request: LlmRequest;
  readonly stream: boolean;
  readonly signal: AbortSignal | undefined;
}

/** Asks a model, and returns whether it has failed before it has shown anything, and another one may take over. `before`: those that have failed. */
async function* ask(
  { model, cooldown }: Candidate,
  before: readonly string[],
  { isLast, request, stream, signal }: Call,
): AsyncGenerator<LlmResponse, boolean> {
  const ended = cooldown.begin();
  let outcome: Parameters<typeof ended>[0] = 'left';
  let hasSpoken = false;
  try {
    for await (const response of model.generateContentAsync(request, stream, signal)) {
      outcome = response.errorCode === undefined || response.finishReason !== undefined ? 'answered' : response;
      if (!hasSpoken && !isLast && isFailure(response)) return true;
      hasSpoken = true;
      yield before.length === 0 ? response : named(response, model.model, before);
    }
  } finally {
    ended(signal?.aborted === true ? 'left' : outcome);
  }
  return false;
}

/** An answer that the model ended early, e.g. one that it refused, has a `finishReason`: no other model is asked then. */
function isFailure({ errorCode, finishReason, content }: LlmResponse): boolean {
  return errorCode !== undefined && finishReason === undefined && content === undefined;
}

function named(response: LlmResponse, model: string, failed: readonly string[]): LlmResponse {
  return { ...response, customMetadata: { ...response.customMetadata, model, failed_models: [...failed] } };
}
