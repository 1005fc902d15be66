import { Type } from 'typebox';
import {
  codeLanguages,
  mediaProcessings,
  mediaResolutionLevels,
  nullValues,
  outcomes,
  schedulings,
  toolTypes,
} from './enums.ts';
import { bytes, freeForm, keeping, maybe, openEnum, strict } from './keywords.ts';

/** The words of a piece of audio. */
export const Transcription = Type.Object(
  { text: maybe(Type.String()), finished: maybe(Type.Boolean()), languageCode: maybe(Type.String()) },
  { ...keeping, title: 'Transcription' },
);

const MediaResolution = Type.Object(
  { level: maybe(openEnum(mediaResolutionLevels)), numTokens: maybe(Type.Integer()) },
  strict,
);

const CodeExecutionResult = Type.Object(
  { outcome: maybe(openEnum(outcomes)), output: maybe(Type.String()), id: maybe(Type.String()) },
  strict,
);

const ExecutableCode = Type.Object(
  { code: maybe(Type.String()), language: maybe(openEnum(codeLanguages)), id: maybe(Type.String()) },
  strict,
);

const FileData = Type.Object(
  { displayName: maybe(Type.String()), fileUri: maybe(Type.String()), mimeType: maybe(Type.String()) },
  { ...strict, title: 'FileData' },
);

const Blob = Type.Object(
  { data: maybe(bytes()), displayName: maybe(Type.String()), mimeType: maybe(Type.String()) },
  { ...strict, title: 'Blob' },
);

const PartialArg = Type.Object(
  {
    jsonPath: maybe(Type.String()),
    boolValue: maybe(Type.Boolean()),
    nullValue: maybe(openEnum(nullValues)),
    numberValue: maybe(Type.Number()),
    stringValue: maybe(Type.String()),
    willContinue: maybe(Type.Boolean()),
  },
  strict,
);

const FunctionCall = Type.Object(
  {
    id: maybe(Type.String()),
    name: maybe(Type.String()),
    args: maybe(freeForm()),
    willContinue: maybe(Type.Boolean()),
    partialArgs: maybe(Type.Array(PartialArg)),
  },
  { ...strict, title: 'FunctionCall' },
);

const FunctionResponse = Type.Object(
  {
    id: maybe(Type.String()),
    name: maybe(Type.String()),
    response: maybe(freeForm()),
    willContinue: maybe(Type.Boolean()),
    scheduling: maybe(openEnum(schedulings)),
    parts: maybe(Type.Array(Type.Object({ inlineData: maybe(Blob), fileData: maybe(FileData) }, strict))),
  },
  { ...strict, title: 'FunctionResponse' },
);

const VideoMetadata = Type.Object(
  { startOffset: maybe(Type.String()), endOffset: maybe(Type.String()), fps: maybe(Type.Number()) },
  strict,
);

const ToolCall = Type.Object(
  { id: maybe(Type.String()), toolType: maybe(openEnum(toolTypes)), args: maybe(freeForm()) },
  strict,
);

const ToolResponse = Type.Object(
  { id: maybe(Type.String()), toolType: maybe(openEnum(toolTypes)), response: maybe(freeForm()) },
  strict,
);

const SpeechMetadata = Type.Object({ speaker: maybe(Type.String()), style: maybe(Type.String()) }, keeping);

/** A piece of a message. Unknown keys are kept, since google-genai adds some. */
export const Part = Type.Object(
  {
    text: maybe(Type.String()),
    thought: maybe(Type.Boolean()),
    thoughtSignature: maybe(bytes()),
    partMetadata: maybe(freeForm()),
    mediaResolution: maybe(MediaResolution),
    codeExecutionResult: maybe(CodeExecutionResult),
    executableCode: maybe(ExecutableCode),
    fileData: maybe(FileData),
    inlineData: maybe(Blob),
    functionCall: maybe(FunctionCall),
    functionResponse: maybe(FunctionResponse),
    videoMetadata: maybe(VideoMetadata),
    toolCall: maybe(ToolCall),
    toolResponse: maybe(ToolResponse),
    audioTranscription: maybe(Transcription),
    mediaProcessing: maybe(openEnum(mediaProcessings)),
    speechMetadata: maybe(SpeechMetadata),
  },
  { ...keeping, title: 'Part' },
);

/** A message. */
export const Content = Type.Object(
  { parts: maybe(Type.Array(Part, { maxItems: 10_000 })), role: maybe(Type.Enum(['user', 'model'])) },
  { ...strict, title: 'Content' },
);
