import { PayloadKind } from '@agentmesh/proto/artifacts/v1';
import { InvalidRequest } from '../../edge/errors/request-error.ts';
import { encodeJson, encodeMap } from '../../edge/json/json-bytes.ts';
import { faults, type Issue, notBase64, requestCheck } from '../../edge/validation/index.ts';
import { SaveArtifactRequest } from '../artifact-record.ts';
import type { SaveBody } from './save-body.ts';
import type { StreamedString } from './streamed-string.ts';

/** A save with a valid body. */
export interface CheckedSave {
  readonly commit: {
    readonly name: string;
    readonly payload: PayloadKind;
    readonly partJson: Uint8Array;
    readonly customMetadataJson: Uint8Array;
  };
  /** The payload; undefined if it was streamed. */
  readonly bytes: Buffer | undefined;
}

type Part = SaveArtifactRequest['artifact'];
interface Payload {
  readonly payload: PayloadKind;
  /** The Part without its payload. */
  readonly part: object;
  readonly bytes: Buffer | undefined;
}

const check = requestCheck(SaveArtifactRequest, 'body');

/** Checks the body. Throws InvalidRequest with all issues. */
export function checkSave({ value, streamed }: SaveBody): CheckedSave {
  const outcome = check(value);
  if ('issues' in outcome) throw new InvalidRequest(retold(outcome.issues, streamed));
  const { filename, artifact, customMetadata } = outcome.value as SaveArtifactRequest;
  // A lone surrogate cannot be sent to the service.
  if (!filename.isWellFormed()) throw filenameRefused('The filename holds characters it must not.');
  const { payload, part, bytes } = payloadOf(artifact, streamed);
  const customMetadataJson = encodeMap(customMetadata);
  return { commit: { name: filename, payload, partJson: encodeJson(part), customMetadataJson }, bytes };
}

/** 422 for the name of an artifact. */
export function filenameRefused(msg: string): InvalidRequest {
  return new InvalidRequest(
    [{ type: 'artifact_name_invalid', loc: ['body', 'filename'], msg }],
    'artifact_name_invalid',
  );
}

/** 422 for the MIME type of an artifact. */
export function typeRefused(msg: string): InvalidRequest {
  return new InvalidRequest(
    [{ type: 'artifact_type_invalid', loc: ['body', 'artifact'], msg }],
    'artifact_type_invalid',
  );
}

/** Replaces the mark in issues by the first characters of the streamed text. */
export function refusalOf(value: string | null): InvalidRequest {
  const outcome = check(value);
  return new InvalidRequest('issues' in outcome ? outcome.issues : []);
}

function payloadOf(artifact: Part, streamed: StreamedString | undefined): Payload {
  const { text, inlineData, ...others } = artifact;
  const isStreamedText = streamed !== undefined && text === streamed.mark;
  if (inlineData !== undefined && inlineData !== null && !isStreamedText) {
    const { data, ...blob } = inlineData;
    const isStreamed = streamed !== undefined && data === streamed.mark;
    const part = { ...(text !== undefined && { text }), ...others, inlineData: blob };
    return { payload: PayloadKind.DATA, part, bytes: isStreamed ? undefined : Buffer.from(data ?? '', 'base64url') };
  }
  if (text === undefined || text === null) return { payload: PayloadKind.NONE, part: others, bytes: Buffer.alloc(0) };
  const part = inlineData === undefined ? others : { ...others, inlineData };
  const isWhole = isStreamedText ? !streamed.hasLoneSurrogate : text.isWellFormed();
  if (!isWhole) throw new InvalidRequest([notUnicode(isStreamedText ? streamed.preview : text.toWellFormed())]);
  return { payload: PayloadKind.TEXT, part, bytes: isStreamedText ? undefined : Buffer.from(text) };
}

function notUnicode(input: string): Issue {
  return { ...faults.unicode, loc: ['body', 'artifact', 'text'], input };
}

/**
 * Converts issues of the body with a mark in place of the payload to issues of the body that was sent. Only the start of a
 * streamed value is quoted.
 */
function retold(issues: readonly Issue[], streamed: StreamedString | undefined): readonly Issue[] {
  if (streamed === undefined) return issues;
  const { mark, base64Fault } = streamed;
  const own = base64Fault === undefined ? {} : notBase64(base64Fault);
  const all = issues.map((issue) => (issue.input === mark && base64Fault !== undefined ? { ...issue, ...own } : issue));
  const preview = JSON.stringify(streamed.preview).slice(1, -1);
  return JSON.parse(JSON.stringify(all).replaceAll(mark, () => preview)) as Issue[];
}
