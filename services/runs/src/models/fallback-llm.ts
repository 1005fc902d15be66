import { BaseLlm, type BaseLlmConnection, type LlmRequest, type LlmResponse } from '@google/adk';

/**
 * Several models as one: when a model fails before it has shown anything, the next one is asked. Responses of a model that took over
 * name it in `customMetadata.model`, and those that failed in `customMetadata.failed_models`.
 */
export class FallbackLlm extends BaseLlm {
  readonly #models: readonly BaseLlm[];

  /** `first` gives it its name. */
  constructor(first: BaseLlm, others: readonly BaseLlm[]) {
    super({ model: first.model });
    this.#models = [first, ...others];
  }

  override async *generateContentAsync(
    request: LlmRequest,
    stream = false,
    signal?: AbortSignal,
  ): AsyncGenerator<LlmResponse, void> {
    const failed: string[] = [];
    for (const model of this.#models) {
      const isLast = failed.length === this.#models.length - 1;
      let hasFailed = false;
      for await (const response of untilFailure(model.generateContentAsync(request, stream, signal), isLast)) {
        if (response === undefined) hasFailed = true;
        else yield failed.length === 0 ? response : named(response, model.model, failed);
      }
      if (!hasFailed || signal?.aborted === true) return;
      failed.push(model.model);
    }
  }

  override connect(request: LlmRequest): Promise<BaseLlmConnection> {
    const [first = this] = this.#models;
    return first.connect(request);
  }
}

/** The responses of a model; undefined instead of a failure before anything else, unless the model is the last one. */
async function* untilFailure(
  responses: AsyncGenerator<LlmResponse, void>,
  isLast: boolean,
): AsyncGenerator<LlmResponse | undefined, void> {
  let hasSpoken = false;
  for await (const response of responses) {
    if (!hasSpoken && !isLast && isFailure(response)) {
      yield undefined;
      return;
    }
    hasSpoken = true;
    yield response;
  }
}

/** An answer that the model ended early, e.g. one that it refused, has a `finishReason`: no other model is asked then. */
function isFailure({ errorCode, finishReason, content }: LlmResponse): boolean {
  return errorCode !== undefined && finishReason === undefined && content === undefined;
}

function named(response: LlmResponse, model: string, failed: readonly string[]): LlmResponse {
  return { ...response, customMetadata: { ...response.customMetadata, model, failed_models: [...failed] } };
}
