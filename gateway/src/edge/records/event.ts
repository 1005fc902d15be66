import { Type } from 'typebox';
import { Content, Transcription } from './content.ts';
import { finishReasons, turnCompleteReasons, voiceActivityTypes } from './enums.ts';
import { CacheMetadata, CitationMetadata, EventActions, LogprobsResult, UsageMetadata } from './event-parts.ts';
import { GroundingMetadata } from './grounding.ts';
import { freeForm, keeping, maybe, openEnum, storedText } from './keywords.ts';

/** An item of a conversation. Unknown keys are kept. */
export const Event = Type.Object(
  {
    id: Type.Optional(storedText()),
    author: storedText(),
    invocationId: Type.Optional(storedText()),
    timestamp: Type.Optional(Type.Number()),
    branch: maybe(Type.String()),
    content: maybe(Content),
    partial: maybe(Type.Boolean()),
    turnComplete: maybe(Type.Boolean()),
    turnCompleteReason: maybe(openEnum(turnCompleteReasons)),
    finishReason: maybe(openEnum(finishReasons)),
    errorCode: maybe(Type.String()),
    errorMessage: maybe(Type.String()),
    interrupted: maybe(Type.Boolean()),
    customMetadata: maybe(freeForm()),
    modelVersion: maybe(Type.String()),
    usageMetadata: maybe(UsageMetadata),
    groundingMetadata: maybe(GroundingMetadata),
    citationMetadata: maybe(CitationMetadata),
    cacheMetadata: maybe(CacheMetadata),
    avgLogprobs: maybe(Type.Number()),
    logprobsResult: maybe(LogprobsResult),
    liveSessionResumptionUpdate: maybe(
      Type.Object(
        {
          newHandle: maybe(Type.String()),
          resumable: maybe(Type.Boolean()),
          lastConsumedClientMessageIndex: maybe(Type.Integer()),
        },
        keeping,
      ),
    ),
    liveSessionId: maybe(Type.String()),
    goAway: maybe(Type.Object({ timeLeft: maybe(Type.String()) }, keeping)),
    voiceActivity: maybe(
      Type.Object(
        { voiceActivityType: maybe(openEnum(voiceActivityTypes)), audioOffset: maybe(Type.String()) },
        keeping,
      ),
    ),
    inputTranscription: maybe(Transcription),
    outputTranscription: maybe(Transcription),
    interactionId: maybe(Type.String()),
    interactionStatus: maybe(Type.String()),
    environmentId: maybe(Type.String()),
    actions: Type.Optional(EventActions),
    output: Type.Optional(Type.Unknown()),
    nodeInfo: Type.Optional(
      Type.Object(
        {
          path: Type.Optional(Type.String()),
          outputFor: maybe(Type.Array(Type.String())),
          messageAsOutput: maybe(Type.Boolean()),
        },
        keeping,
      ),
    ),
    longRunningToolIds: maybe(Type.Array(Type.String(), { uniqueItems: true })),
    isolationScope: maybe(Type.String()),
  },
  { ...keeping, title: 'Event' },
);
