import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { withinDeadline } from '@agentmesh/lib/wait';
import { artifactNotFound, storeUnavailable } from '../errors.ts';
import type { BlobName, BlobStore, BlobWriter, ByteRange } from './blob-store.ts';

export interface S3Options {
  readonly bucket: string;
  /** Prefix of every key, without slashes at its ends; may be empty. */
  readonly prefix: string;
  readonly region: string;
  /** Address of the server; undefined for Amazon S3. */
  readonly endpoint: string | undefined;
  /** Undefined: Amazon's client looks for credentials itself, e.g. the role of the machine. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
  /** Longest wait in milliseconds for the next bytes of an object that is read. Default: 30 seconds. */
  readonly silenceMs?: number;
}

/** Smallest part size that S3 allows. One part is sent while the next one is filled. */
const partBytes = 5 * 1024 * 1024;
/** The limit of a request ends with the head of its answer. */
const timeouts = { connectionTimeout: 5_000, requestTimeout: 60_000, throwOnRequestTimeout: true };
const usualSilenceMs = 30_000;

interface Place {
  readonly client: S3Client;
  readonly Bucket: string;
  readonly keyOf: (name: BlobName) => string;
  readonly silenceMs: number;
}

/**
 * Stores each object as `<prefix>/<account>/<id>` in a bucket of an S3-compatible server, with a multipart upload, so an incomplete object
 * is never visible.
 */
export function openS3Store(options: S3Options): BlobStore & Disposable {
  const client = new S3Client({
    region: options.region,
    requestHandler: timeouts,
    // Other servers do not support the checksums that Amazon's client adds. The SHA-256 of each payload is in our own table.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...(options.endpoint !== undefined && { endpoint: options.endpoint, forcePathStyle: true }),
    ...(options.credentials !== undefined && { credentials: options.credentials }),
  });
  const prefix = options.prefix === '' ? '' : `${options.prefix}/`;
  const keyOf = ({ accountId, id }: BlobName) => `${prefix}${accountId}/${id}`;
  const place = { client, Bucket: options.bucket, keyOf, silenceMs: options.silenceMs ?? usualSilenceMs };
  return {
    write: async (name) => createWriter(place, name),
    read: (name, range) => readObject(place, name, range),
    remove: (name) => removeObject(place, name).catch(fail),
    removeAccount: async () => undefined,
    size: (name) => sizeOf(place, name),
    list: () => listObjects(place, prefix),
    check: async () => {
      await client.send(new HeadBucketCommand({ Bucket: options.bucket })).catch(fail);
    },
    [Symbol.dispose]: () => client.destroy(),
  };
}

async function sizeOf({ client, Bucket, keyOf }: Place, name: BlobName): Promise<number | undefined> {
  try {
    return (await client.send(new HeadObjectCommand({ Bucket, Key: keyOf(name) }))).ContentLength;
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw storeUnavailable(error);
  }
}

/** Objects with a key of another form are not ours. */
async function* listObjects({ client, Bucket }: Place, prefix: string): AsyncGenerator<BlobName[]> {
  for (let token: string | undefined, isLast = false; !isLast; isLast = token === undefined) {
    const request = new ListObjectsV2Command({ Bucket, Prefix: prefix, ContinuationToken: token });
    const { Contents = [], NextContinuationToken } = await client.send(request).catch(fail);
    token = NextContinuationToken;
    const parts = Contents.map(({ Key = '' }) => Key.slice(prefix.length).split('/'));
    yield parts.flatMap(([accountId = '', id = '', ...more]) =>
      id === '' || more.length > 0 ? [] : [{ accountId, id }],
    );
  }
}

function createWriter({ client, Bucket, keyOf }: Place, name: BlobName): BlobWriter {
  const body = new PassThrough();
  const upload = new Upload({
    client,
    params: { Bucket, Key: keyOf(name), Body: body },
    partSize: partBytes,
    queueSize: 1,
  });
  const done = upload.done();
  done.catch(() => undefined);
  return {
    write: async (chunk) => {
      if (body.write(chunk)) return;
      await Promise.race([once(body, 'drain'), done]).catch(fail);
    },
    finish: async () => {
      body.end();
      await done.catch(fail);
    },
    abort: async () => {
      await upload.abort().catch(() => undefined);
      body.destroy();
    },
  };
}

async function* readObject(
  { client, Bucket, keyOf, silenceMs }: Place,
  name: BlobName,
  { start, length }: ByteRange,
): AsyncGenerator<Uint8Array> {
  if (length <= 0) return;
  const leaving = new AbortController();
  try {
    const Range = `bytes=${start}-${start + length - 1}`;
    const request = new GetObjectCommand({ Bucket, Key: keyOf(name), Range });
    const { Body } = await client.send(request, { abortSignal: leaving.signal });
    yield* withoutSilence(Body as Readable, silenceMs);
  } catch (error) {
    if (statusOf(error) === 416) return;
    throw isMissing(error) ? artifactNotFound() : storeUnavailable(error);
  } finally {
    leaving.abort();
  }
}

/** The chunks of a body. Throws when the next one takes too long; time that the reader takes does not count. */
async function* withoutSilence(body: Readable, silenceMs: number): AsyncGenerator<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>;
  const late = (): never => {
    throw new Error(`The store has sent nothing for ${silenceMs} ms.`);
  };
  for (;;) {
    const next = await withinDeadline(chunks.next(), silenceMs, late);
    if (next.done === true) return;
    yield next.value;
  }
}

/** Deletes the object, and aborts its multipart uploads: those that a crash left behind take space until they are aborted. */
async function removeObject({ client, Bucket, keyOf }: Place, name: BlobName): Promise<void> {
  const Key = keyOf(name);
  await client.send(new DeleteObjectCommand({ Bucket, Key }));
  const { Uploads = [] } = await client
    .send(new ListMultipartUploadsCommand({ Bucket, Prefix: Key }))
    .catch(emptyIfUnsupported);
  for (const { UploadId } of Uploads) {
    await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
  }
}

/** Small servers cannot list multipart uploads; that error counts as an empty list. */
function emptyIfUnsupported(error: unknown): { Uploads?: { UploadId?: string }[] } {
  const status = statusOf(error);
  if (status === 404 || status === 405 || status === 501) return {};
  throw error;
}

/** The bucket exists, and has no such object. */
function isMissing(error: unknown): boolean {
  return statusOf(error) === 404 && (error as S3ServiceException).name !== 'NoSuchBucket';
}

function statusOf(error: unknown): number | undefined {
  return error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
}

function fail(error: unknown): never {
  throw storeUnavailable(error);
}
