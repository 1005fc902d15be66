import { type Static, Type } from 'typebox';
import { Part } from '../edge/records/content.ts';
import { freeForm, maybe } from '../edge/records/keywords.ts';

/** Path of a session's artifacts. The artifacts service checks ids and names and answers 400, as the contract prescribes. */
export const ArtifactsPath = Type.Object({
  app_name: Type.String({ examples: ['echo'] }),
  user_id: Type.String({ examples: ['user'] }),
  session_id: Type.String({ examples: ['s1'] }),
});

/** The name may contain slashes, plain or as `%2F`. */
export const ArtifactPath = Type.Object({
  ...ArtifactsPath.properties,
  artifact_name: Type.String({ examples: ['notes.txt'] }),
});

export const VersionPath = Type.Object({
  ...ArtifactPath.properties,
  version_id: Type.String({ description: 'A number, or `latest`.', examples: ['latest'] }),
});

const media = 'media: the payload itself, with `Range` and `If-None-Match`. json: the Part.';

export const LoadQuery = Type.Object({
  alt: Type.Optional(Type.Enum(['json', 'media'], { description: media, default: 'json' })),
});

export const LoadVersionQuery = Type.Object({
  version: Type.Optional(Type.Integer({ description: 'The latest when absent.' })),
  ...LoadQuery.properties,
});

export const SaveArtifactRequest = Type.Object(
  { filename: Type.String(), artifact: Part, customMetadata: maybe(freeForm()) },
  { title: 'SaveArtifactRequest', examples: [{ filename: 'notes.txt', artifact: { text: 'Buy tea' } }] },
);
export type SaveArtifactRequest = Static<typeof SaveArtifactRequest>;

export const ArtifactVersion = Type.Object(
  {
    version: Type.Integer(),
    canonicalUri: Type.String(),
    customMetadata: freeForm(),
    createTime: Type.Number({ description: 'Unix time in seconds.' }),
    mimeType: Type.Optional(Type.String()),
  },
  { title: 'ArtifactVersion' },
);
