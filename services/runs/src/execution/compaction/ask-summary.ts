import type { BaseLlm, LlmRequest, LlmResponse } from '@google/adk/core';
import type { JsonObject } from '@agentmesh/proto/event';
import { historyMark } from '../../apps/definition/settings/compaction-keys.ts';
import { FallbackLlm } from '../../models/fallback-llm.ts';
import type { Models } from '../../models/index.ts';
import { type ModelCaller, noteCaller } from '../../models/use/model-caller.ts';
import type { SummaryModel } from '../../apps/files/summary-model.ts';

/** ADK's prompt. */
const usualTemplate =
  'The following is a conversation history between a user and an AI agent. Please summarize the conversation, focusing on key information and ' +
  'decisions made, as well as any unresolved questions or tasks. The summary should be concise and capture the essence of the interaction.\n\n' +
  historyMark;

export interface SummaryRequest {
  readonly model: SummaryModel;
  /** With the place of the conversation; absent: ADK's. */
  readonly template: string | undefined;
  readonly conversation: string;
  /** The account, app, user and run that the call counts for. */
  readonly caller: ModelCaller;
  readonly signal: AbortSignal;
}

export interface Summary {
  readonly text: string;
  /** Public fields of the event: the model's version and usage. */
  readonly facts: JsonObject;
}

/** Asks a model for a summary. Throws when it fails or says nothing. */
export async function askSummary(models: Models, request: SummaryRequest): Promise<Summary> {
  const { model, template = usualTemplate, conversation, caller, signal } = request;
  const text = template.replaceAll(historyMark, () => conversation);
  const asked: LlmRequest = {
    contents: [{ role: 'user', parts: [{ text }] }],
    config: {},
    toolsDict: {},
    liveConnectConfig: {},
  };
  noteCaller(asked, caller);
  const summary: string[] = [];
  let facts: JsonObject = {};
  for await (const response of resolve(models, model).generateContentAsync(asked, false, signal)) {
    if (response.errorCode !== undefined) throw new Error(`${response.errorCode}: ${response.errorMessage ?? ''}`);
    if (response.partial === true) continue;
    summary.push(textOf(response));
    facts = factsOf(response);
  }
  signal.throwIfAborted();
  const said = summary.join('').trim();
  if (said === '') throw new Error('The model gave no summary.');
  return { text: said, facts };
}

function resolve(models: Models, { names, access, mostRetries }: SummaryModel): BaseLlm {
  const [first, ...others] = names.map((name) => models.resolve(name, access, mostRetries));
  if (first === undefined) throw new Error('No model is named for summaries.');
  return others.length === 0 ? first : new FallbackLlm(first, others);
}

function textOf({ content }: LlmResponse): string {
  const texts = content?.parts?.filter(({ thought }) => thought !== true).map(({ text }) => text ?? '');
  return texts?.join('') ?? '';
}

function factsOf({ modelVersion, usageMetadata }: LlmResponse): JsonObject {
  const facts = { modelVersion, usageMetadata };
  return JSON.parse(JSON.stringify(facts)) as JsonObject;
}
