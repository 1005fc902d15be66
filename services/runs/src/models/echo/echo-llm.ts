import { BaseLlm, type BaseLlmConnection, type LlmRequest, type LlmResponse } from '@google/adk/core';
import { FinishReason } from '@google/genai';
import { pause } from '../pause.ts';
import { readEchoTurn } from './echo-turn.ts';
import type { EchoStep } from './echo-step.ts';
import { parseDirectives } from './parse-directives.ts';
import { countWords, splitWords } from './words.ts';

type CallStep = Extract<EchoStep, { kind: 'call' }>;

/** One model call of a turn. */
interface EchoCall {
  readonly message: string;
  readonly steps: readonly EchoStep[];
  readonly stream: boolean;
  readonly signal: AbortSignal | undefined;
}

/**
 * The deterministic model that needs no network: it says the last user message back, word by word when it streams, and
 * does what directives in double square brackets ask for, one function call per model call and each once per message.
 * Fails only by `LlmResponse.errorCode`: `ECHO_FAIL` where asked to, `ECHO_TOOL_UNKNOWN` for a tool the agent lacks.
 */
export class EchoLlm extends BaseLlm {
  override async *generateContentAsync(
    request: LlmRequest,
    stream = false,
    signal?: AbortSignal,
  ): AsyncGenerator<LlmResponse, void> {
    const { message, responses } = readEchoTurn(request.contents);
    const steps = parseDirectives(message);
    const start = stepAfterCall(steps, responses.length);
    const callIndex = steps.findIndex((step, index) => step.kind === 'call' && index >= start);
    const call = { message, stream, signal };
    if (callIndex === -1) yield* speak({ ...call, steps: closingSteps(steps, start, responses) });
    else yield* act({ ...call, steps: steps.slice(start, callIndex + 1) }, request);
  }

  override async connect(): Promise<BaseLlmConnection> {
    // Workers of apps use this model too, and do without the mesh.
    const { liveUnsupported } = await import('../live-unsupported.ts');
    throw liveUnsupported(this.model);
  }
}

/** The index of the step after the `count`-th call. */
function stepAfterCall(steps: readonly EchoStep[], count: number): number {
  let calls = 0;
  let start = 0;
  for (let index = 0; index < steps.length && calls < count; index += 1) {
    if (steps[index]?.kind !== 'call') continue;
    calls += 1;
    start = index + 1;
  }
  return start;
}

/** The last answer of a turn: the text before `start`, the steps after it, and the answers of the tools. */
function closingSteps(steps: readonly EchoStep[], start: number, responses: readonly unknown[]): readonly EchoStep[] {
  if (steps.length === 1 && steps[0]?.kind === 'text' && steps[0].text !== '') return steps;
  const closing = [...steps.slice(0, start).filter((step) => step.kind === 'text'), ...steps.slice(start)];
  const spoken = closing.some((step) => step.kind === 'text' && step.text.trim() !== '');
  const calls = steps.filter((step) => step.kind === 'call');
  const reports = calls.map((call, index) => report(call, responses[index])).filter((line) => line !== undefined);
  if (reports.length > 0) closing.push({ kind: 'text', text: (spoken ? '\n' : '') + reports.join('\n') });
  else if (!spoken) closing.push({ kind: 'text', text: '(nothing to say)' });
  return closing;
}

function report(call: CallStep, response: unknown): string | undefined {
  if (response === undefined) return undefined;
  const failed = typeof response === 'object' && response !== null && 'error' in response;
  return call.report || failed ? `${call.name}: ${JSON.stringify(response)}` : undefined;
}

/** Waits and fails as asked before the call, then calls. */
async function* act({ steps, stream, signal }: EchoCall, request: LlmRequest): AsyncGenerator<LlmResponse, void> {
  for (const step of steps) {
    if (step.kind === 'fail') {
      yield failure('ECHO_FAIL', step.message);
      return;
    }
    if (step.kind === 'wait' && !(await pause(step.ms, signal))) return;
    if (step.kind === 'call') yield callResponse(step, { stream, known: Object.hasOwn(request.toolsDict, step.name) });
  }
}

function callResponse(step: CallStep, { stream, known }: { stream: boolean; known: boolean }): LlmResponse {
  if (!known) return failure('ECHO_TOOL_UNKNOWN', `The agent has no tool "${step.name}".`);
  return {
    content: { role: 'model', parts: [{ functionCall: { name: step.name, args: step.args } }] },
    finishReason: FinishReason.STOP,
    modelVersion: 'echo',
    ...(stream ? { partial: false } : {}),
  };
}

async function* speak({ message, steps, stream, signal }: EchoCall): AsyncGenerator<LlmResponse, void> {
  const ending = endingOf(message, steps);
  let whole = '';
  for (const [index, step] of steps.entries()) {
    if (step.kind === 'fail') {
      yield failure('ECHO_FAIL', step.message);
      return;
    }
    if (step.kind === 'wait' && !(await pause(step.ms, signal))) return;
    if (step.kind !== 'text') continue;
    whole += step.text;
    if (!stream) continue;
    const pieces = splitWords(step.text);
    const last = index === steps.length - 1 ? pieces.pop() : undefined;
    for (const piece of pieces) yield partial(piece);
    if (last !== undefined) yield { ...partial(last), ...ending };
  }
  yield { ...said(whole, stream ? { partial: false } : {}), ...ending };
}

function partial(text: string): LlmResponse {
  return said(text, { partial: true });
}

function said(text: string, partial: Pick<LlmResponse, 'partial'>): LlmResponse {
  return { content: { role: 'model', parts: [{ text }] }, ...partial, modelVersion: 'echo' };
}

/** The end of an answer, which its last partial response has too. */
function endingOf(message: string, steps: readonly EchoStep[]): Pick<LlmResponse, 'finishReason' | 'usageMetadata'> {
  const whole = steps.map((step) => (step.kind === 'text' ? step.text : '')).join('');
  const promptTokenCount = countWords(message);
  const candidatesTokenCount = whole === message ? promptTokenCount : countWords(whole);
  const totalTokenCount = promptTokenCount + candidatesTokenCount;
  return {
    finishReason: FinishReason.STOP,
    usageMetadata: { promptTokenCount, candidatesTokenCount, totalTokenCount },
  };
}

function failure(errorCode: string, errorMessage: string): LlmResponse {
  return { errorCode, errorMessage, modelVersion: 'echo' };
}
