import type { Event } from '@google/adk';
import type { AttemptEnd } from '@agentmesh/proto/sessions/v1';

/** The models of an attempt and their usage, as fields of AttemptEnd. */
export type UsedModels = Pick<AttemptEnd, 'model' | 'usageJson'>;

/** Sums up what the models of an attempt report. */
export interface AttemptUsage {
  /** Adds the usage of a whole event. */
  note(event: Event): void;
  used(): UsedModels;
}

const counted = [
  'promptTokenCount',
  'cachedContentTokenCount',
  'candidatesTokenCount',
  'thoughtsTokenCount',
  'toolUsePromptTokenCount',
  'totalTokenCount',
] as const;

const nothing = new Uint8Array(0);

export function createAttemptUsage(): AttemptUsage {
  const sums = new Map<string, number>();
  let modelCalls = 0;
  let model = '';
  return {
    note({ modelVersion, usageMetadata }) {
      if (modelVersion === undefined && usageMetadata === undefined) return;
      modelCalls += 1;
      model = modelVersion ?? model;
      for (const name of counted) {
        const count = usageMetadata?.[name];
        if (count !== undefined && count > 0) sums.set(name, (sums.get(name) ?? 0) + count);
      }
    },
    used: () => ({
      model,
      usageJson: modelCalls === 0 ? nothing : Buffer.from(JSON.stringify({ ...Object.fromEntries(sums), modelCalls })),
    }),
  };
}
