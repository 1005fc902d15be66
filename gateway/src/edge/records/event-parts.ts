import { Type } from 'typebox';
import { Content } from './content.ts';
import { modalities, trafficTypes } from './enums.ts';
import { freeForm, keeping, keyedMap, maybe, openEnum, stateMap, strict } from './keywords.ts';

const ModalityTokenCount = Type.Object(
  { modality: maybe(openEnum(modalities)), tokenCount: maybe(Type.Integer()) },
  { ...keeping, title: 'ModalityTokenCount' },
);

const tokenCounts = () => maybe(Type.Array(ModalityTokenCount));

export const UsageMetadata = Type.Object(
  {
    promptTokenCount: maybe(Type.Integer()),
    promptTokensDetails: tokenCounts(),
    candidatesTokenCount: maybe(Type.Integer()),
    candidatesTokensDetails: tokenCounts(),
    cachedContentTokenCount: maybe(Type.Integer()),
    cacheTokensDetails: tokenCounts(),
    thoughtsTokenCount: maybe(Type.Integer()),
    toolUsePromptTokenCount: maybe(Type.Integer()),
    toolUsePromptTokensDetails: tokenCounts(),
    totalTokenCount: maybe(Type.Integer()),
    trafficType: maybe(openEnum(trafficTypes)),
  },
  { ...keeping, title: 'UsageMetadata' },
);

const PublicationDate = Type.Object(
  { day: maybe(Type.Integer()), month: maybe(Type.Integer()), year: maybe(Type.Integer()) },
  keeping,
);

export const CitationMetadata = Type.Object(
  {
    citations: maybe(
      Type.Array(
        Type.Object(
          {
            startIndex: maybe(Type.Integer()),
            endIndex: maybe(Type.Integer()),
            license: maybe(Type.String()),
            publicationDate: maybe(PublicationDate),
            title: maybe(Type.String()),
            uri: maybe(Type.String()),
          },
          keeping,
        ),
      ),
    ),
  },
  keeping,
);

export const CacheMetadata = Type.Object(
  {
    fingerprint: maybe(Type.String()),
    contents_count: maybe(Type.Integer()),
    cache_name: maybe(Type.String()),
    expire_time: maybe(Type.Number()),
    invocations_used: maybe(Type.Integer()),
    created_at: maybe(Type.Number()),
  },
  keeping,
);

const LogprobsCandidate = Type.Object(
  { logProbability: maybe(Type.Number()), token: maybe(Type.String()), tokenId: maybe(Type.Integer()) },
  keeping,
);

export const LogprobsResult = Type.Object(
  {
    chosenCandidates: maybe(Type.Array(LogprobsCandidate)),
    topCandidates: maybe(Type.Array(Type.Object({ candidates: maybe(Type.Array(LogprobsCandidate)) }, keeping))),
    logProbabilitySum: maybe(Type.Number()),
  },
  keeping,
);

const Compaction = Type.Object(
  { startTimestamp: maybe(Type.Number()), endTimestamp: maybe(Type.Number()), compactedContent: maybe(Content) },
  strict,
);

const UiWidget = Type.Object(
  { id: maybe(Type.String()), provider: maybe(Type.String()), payload: maybe(freeForm()) },
  strict,
);

/** Changes that an event makes. Unlike an event it refuses unknown keys. */
export const EventActions = Type.Object(
  {
    skipSummarization: maybe(Type.Boolean()),
    stateDelta: Type.Optional(stateMap()),
    artifactDelta: Type.Optional(keyedMap(Type.Integer())),
    transferToAgent: maybe(Type.String()),
    transferReason: maybe(Type.String()),
    escalate: maybe(Type.Boolean()),
    requestedAuthConfigs: Type.Optional(freeForm()),
    requestedToolConfirmations: Type.Optional(freeForm()),
    compaction: maybe(Compaction),
    endOfAgent: maybe(Type.Boolean()),
    agentState: maybe(freeForm()),
    rewindBeforeInvocationId: maybe(Type.String()),
    route: maybe(Type.Boolean()),
    renderUiWidgets: maybe(Type.Array(UiWidget)),
    setModelResponse: Type.Optional(Type.Unknown()),
  },
  { ...strict, title: 'EventActions' },
);
