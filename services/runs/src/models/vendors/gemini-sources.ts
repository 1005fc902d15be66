import type { Citation, GroundingMetadata } from '@google/genai';
import type { Sources } from '../ai-sdk/dialect.ts';

interface Body {
  readonly candidates?: readonly {
    readonly groundingMetadata?: GroundingMetadata | null;
    readonly citationMetadata?: {
      readonly citations?: Citation[] | null;
      readonly citationSources?: Citation[] | null;
    } | null;
  }[];
}

/** The vendor's own metadata. One of its APIs calls the citations `citationSources`. */
export function geminiSources(raw: unknown): Sources {
  const [candidate] = (raw as Body | null | undefined)?.candidates ?? [];
  const grounding = candidate?.groundingMetadata;
  const citations = candidate?.citationMetadata?.citations ?? candidate?.citationMetadata?.citationSources;
  return {
    ...(grounding ? { groundingMetadata: grounding } : {}),
    ...(citations ? { citationMetadata: { citations } } : {}),
  };
}
