import type { Part } from '@google/genai';
import { PayloadKind } from '@agentmesh/proto/artifacts/v1';

/** A Part in the form of the artifacts service. */
export interface SplitPart {
  readonly payload: PayloadKind;
  readonly bytes: Buffer;
  /** The Part without the payload. */
  readonly partJson: Buffer;
}

/** Separates the payload from a Part of ADK, whose bytes are base64 in either alphabet. */
export function splitPart({ text, inlineData, ...others }: Part): SplitPart {
  if (inlineData !== undefined) {
    const { data, ...blob } = inlineData;
    const part = { ...(text !== undefined && { text }), ...others, inlineData: blob };
    return { payload: PayloadKind.DATA, bytes: Buffer.from(data ?? '', 'base64'), partJson: print(part) };
  }
  if (text !== undefined) return { payload: PayloadKind.TEXT, bytes: Buffer.from(text), partJson: print(others) };
  return { payload: PayloadKind.NONE, bytes: Buffer.alloc(0), partJson: print(others) };
}

function print(part: object): Buffer {
  return Buffer.from(JSON.stringify(part));
}
