import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListMultipartUploadsCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { artifactNotFound, storeUnavailable } from '../errors.ts';
import type { BlobName, BlobStore, BlobWriter, ByteRange } from './blob-store.ts';

export interface S3Options {
  readonly bucket: string;
  /** Before every key; may be empty. */
  readonly prefix: string;
  readonly region: string;
  /** Undefined: Amazon's own. */
  readonly endpoint: string | undefined;
  /** Undefined: as Amazon's tools find them, e.g. the role of the machine. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
}

/** The least that S3 takes; one is being sent while the next one fills. */
const partBytes = 5 * 1024 * 1024;
const timeouts = { connectionTimeout: 5_000, requestTimeout: 60_000, throwOnRequestTimeout: true };

interface Place {
  readonly client: S3Client;
  readonly Bucket: string;
  readonly keyOf: (name: BlobName) => string;
}

/** A bucket of an S3-compatible server: `<prefix>/<account>/<id>`, in parts as they arrive. An object is there whole or not at all. */
export function openS3Store(options: S3Options): BlobStore & Disposable {
  const client = new S3Client({
    region: options.region,
    requestHandler: timeouts,
    // Servers other than Amazon's do not know the checksums that its client adds; objects carry their hash in our own table.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...(options.endpoint !== undefined && { endpoint: options.endpoint, forcePathStyle: true }),
    ...(options.credentials !== undefined && { credentials: options.credentials }),
  });
  const prefix = options.prefix === '' ? '' : `${options.prefix}/`;
  const keyOf = ({ accountId, id }: BlobName) => `${prefix}${accountId}/${id}`;
  const place = { client, Bucket: options.bucket, keyOf };
  return {
    write: async (name) => createWriter(place, name),
    read: (name, range) => readObject(place, name, range),
    remove: (name) => removeObject(place, name).catch(fail),
    removeAccount: async () => undefined,
    check: async () => {
      await client.send(new HeadBucketCommand({ Bucket: options.bucket })).catch(fail);
    },
    [Symbol.dispose]: () => client.destroy(),
  };
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
  { client, Bucket, keyOf }: Place,
  name: BlobName,
  { start, length }: ByteRange,
): AsyncGenerator<Uint8Array> {
  if (length <= 0) return;
  const leaving = new AbortController();
  try {
    const Range = `bytes=${start}-${start + length - 1}`;
    const request = new GetObjectCommand({ Bucket, Key: keyOf(name), Range });
    const { Body } = await client.send(request, { abortSignal: leaving.signal });
    for await (const chunk of Body as Readable) yield chunk as Buffer;
  } catch (error) {
    throw statusOf(error) === 404 ? artifactNotFound() : storeUnavailable(error);
  } finally {
    leaving.abort();
  }
}

/** What a crash left of an upload takes space until it is aborted. */
async function removeObject({ client, Bucket, keyOf }: Place, name: BlobName): Promise<void> {
  const Key = keyOf(name);
  await client.send(new DeleteObjectCommand({ Bucket, Key }));
  const { Uploads = [] } = await client
    .send(new ListMultipartUploadsCommand({ Bucket, Prefix: Key }))
    .catch(unlessUnknown);
  for (const { UploadId } of Uploads) {
    await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
  }
}

/** Small servers cannot list uploads, and have their own way with what is left of them. */
function unlessUnknown(error: unknown): { Uploads?: { UploadId?: string }[] } {
  const status = statusOf(error);
  if (status === 404 || status === 405 || status === 501) return {};
  throw error;
}

function statusOf(error: unknown): number | undefined {
  return error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
}

function fail(error: unknown): never {
  throw storeUnavailable(error);
}
