import type { Event } from '@google/adk/core';
import type { Part } from '@google/genai';
import { compactionOf, textOfSummary } from '../../apps/turns/events/summaries.ts';

/** Longer arguments and results of tools are cut. */
const longestTool = 2_000;

/** The events as a text for the model that summarizes them, one line for each part that says something. Empty when none does. */
export function printConversation(events: readonly Event[]): string {
  return events.flatMap(linesOf).join('\n');
}

function linesOf(event: Event): string[] {
  const summary = compactionOf(event.actions);
  if (summary !== undefined) return [`Summary of everything before: ${textOfSummary(summary)}`];
  const author = event.author ?? 'user';
  return (event.content?.parts ?? []).flatMap((part) => {
    const said = sayPart(part);
    return said === '' ? [] : [`${author}${said}`];
  });
}

function sayPart({ text, thought, functionCall, functionResponse, inlineData, fileData }: Part): string {
  if (functionCall) return ` called the tool ${functionCall.name ?? ''} with ${short(functionCall.args)}`;
  if (functionResponse) return ` got from the tool ${functionResponse.name ?? ''}: ${short(functionResponse.response)}`;
  const type = inlineData?.mimeType ?? fileData?.mimeType;
  if (type !== undefined) return ` sent a file (${type})`;
  return text && thought !== true ? `: ${text}` : '';
}

function short(value: unknown): string {
  return (JSON.stringify(value) ?? '').slice(0, longestTool);
}
