import { Type } from 'typebox';
import { bytes, maybe, strict } from './keywords.ts';

const texts = () => Type.Array(Type.String());

const ImageChunk = Type.Object(
  {
    sourceUri: maybe(Type.String()),
    imageUri: maybe(Type.String()),
    title: maybe(Type.String()),
    domain: maybe(Type.String()),
  },
  strict,
);

const WebChunk = Type.Object(
  { domain: maybe(Type.String()), title: maybe(Type.String()), uri: maybe(Type.String()) },
  strict,
);

const ReviewSnippet = Type.Object(
  {
    authorAttribution: maybe(
      Type.Object(
        { displayName: maybe(Type.String()), photoUri: maybe(Type.String()), uri: maybe(Type.String()) },
        strict,
      ),
    ),
    flagContentUri: maybe(Type.String()),
    vendorMapsUri: maybe(Type.String({ 'x-also': 'googleMapsUri' })),
    relativePublishTimeDescription: maybe(Type.String()),
    review: maybe(Type.String()),
    reviewId: maybe(Type.String()),
    title: maybe(Type.String()),
  },
  { ...strict, title: 'ReviewSnippet' },
);

const MapsChunk = Type.Object(
  {
    placeId: maybe(Type.String()),
    text: maybe(Type.String()),
    title: maybe(Type.String()),
    uri: maybe(Type.String()),
    route: maybe(
      Type.Object(
        {
          distanceMeters: maybe(Type.Integer()),
          duration: maybe(Type.String()),
          encodedPolyline: maybe(Type.String()),
        },
        strict,
      ),
    ),
    placeAnswerSources: maybe(
      Type.Object(
        {
          flagContentUri: maybe(Type.String()),
          reviewSnippet: maybe(Type.Array(ReviewSnippet)),
          reviewSnippets: maybe(Type.Array(ReviewSnippet)),
        },
        strict,
      ),
    ),
  },
  strict,
);

const RagChunk = Type.Object(
  {
    pageSpan: maybe(Type.Object({ firstPage: maybe(Type.Integer()), lastPage: maybe(Type.Integer()) }, strict)),
    text: maybe(Type.String()),
    chunkId: maybe(Type.String()),
    fileId: maybe(Type.String()),
  },
  strict,
);

const RetrievedContext = Type.Object(
  {
    documentName: maybe(Type.String()),
    text: maybe(Type.String()),
    title: maybe(Type.String()),
    uri: maybe(Type.String()),
    fileSearchStore: maybe(Type.String()),
    pageNumber: maybe(Type.Integer()),
    mediaId: maybe(Type.String()),
    ragChunk: maybe(RagChunk),
    customMetadata: maybe(
      Type.Array(
        Type.Object(
          {
            key: maybe(Type.String()),
            numericValue: maybe(Type.Number()),
            stringValue: maybe(Type.String()),
            stringListValue: maybe(Type.Object({ values: maybe(texts()) }, strict)),
          },
          strict,
        ),
      ),
    ),
  },
  strict,
);

const GroundingChunk = Type.Object(
  {
    image: maybe(ImageChunk),
    web: maybe(WebChunk),
    maps: maybe(MapsChunk),
    retrievedContext: maybe(RetrievedContext),
  },
  { ...strict, title: 'GroundingChunk' },
);

const Segment = Type.Object(
  {
    startIndex: maybe(Type.Integer()),
    endIndex: maybe(Type.Integer()),
    partIndex: maybe(Type.Integer()),
    text: maybe(Type.String()),
  },
  strict,
);

const GroundingSupport = Type.Object(
  {
    confidenceScores: maybe(Type.Array(Type.Number())),
    groundingChunkIndices: maybe(Type.Array(Type.Integer())),
    segment: maybe(Segment),
    renderedParts: maybe(Type.Array(Type.Integer())),
  },
  { ...strict, title: 'GroundingSupport' },
);

/** Sources of an answer. The `vendor…` names are also read as `google…`, and answered under the name that was sent. */
export const GroundingMetadata = Type.Object(
  {
    imageSearchQueries: maybe(texts()),
    webSearchQueries: maybe(texts()),
    retrievalQueries: maybe(texts()),
    groundingChunks: maybe(Type.Array(GroundingChunk)),
    groundingSupports: maybe(Type.Array(GroundingSupport)),
    retrievalMetadata: maybe(
      Type.Object(
        {
          vendorSearchDynamicRetrievalScore: maybe(Type.Number({ 'x-also': 'googleSearchDynamicRetrievalScore' })),
        },
        strict,
      ),
    ),
    searchEntryPoint: maybe(Type.Object({ renderedContent: maybe(Type.String()), sdkBlob: maybe(bytes()) }, strict)),
    vendorMapsWidgetContextToken: maybe(Type.String({ 'x-also': 'googleMapsWidgetContextToken', deprecated: true })),
    sourceFlaggingUris: maybe(
      Type.Array(Type.Object({ flagContentUri: maybe(Type.String()), sourceId: maybe(Type.String()) }, strict)),
    ),
  },
  { ...strict, title: 'GroundingMetadata' },
);
