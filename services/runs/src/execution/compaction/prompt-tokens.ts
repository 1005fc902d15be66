import type { WireEvent } from '@agentmesh/proto/event';
import type { HistoryWindow } from '../../apps/turns/history/history-window.ts';

/** Most vendors have about four characters in a token. */
const bytesOfToken = 4;

/** Tokens of the last request of a model in a turn: what the model reported, else a guess by the size of the events. */
export function promptTokens({ events }: HistoryWindow, written: readonly WireEvent[]): number {
  const reported = written.findLast(({ json }) => Buffer.from(json).includes('"promptTokenCount"'));
  const tokens = reported && countIn(reported);
  if (tokens !== undefined) return tokens;
  const bytes = [...events.map(({ json }) => json.length), ...written.map(({ json }) => json.length)];
  return Math.ceil(bytes.reduce((sum, size) => sum + size, 0) / bytesOfToken);
}

function countIn({ json }: WireEvent): number | undefined {
  const { usageMetadata } = JSON.parse(Buffer.from(json).toString()) as {
    readonly usageMetadata?: { readonly promptTokenCount?: unknown };
  };
  const count = usageMetadata?.promptTokenCount;
  return typeof count === 'number' ? count : undefined;
}
