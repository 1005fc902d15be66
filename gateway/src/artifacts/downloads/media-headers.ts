import { PayloadKind } from '@agentmesh/proto/artifacts/v1';
import { create } from 'content-disposition';
import type { OpenArtifact } from './open-artifact.ts';

/** Types that a browser shows without running them. All other types are downloads. */
const passive = /^(?:image\/(?:png|jpeg|gif|webp|avif|bmp)|audio\/[\w.+-]+|video\/[\w.+-]+|text\/plain)$/;
const mediaType = /^([\w!#$&^.+-]+\/[\w!#$&^.+-]+)(?:\s*;[\x20-\x7e]*)?$/;

/** Headers of a download. They keep a browser from running the payload. */
export function mediaHeaders({ head, version }: OpenArtifact): Record<string, string> {
  const type = typeOf(head.payload === PayloadKind.TEXT ? 'text/plain; charset=utf-8' : version.mimeType);
  const bare = mediaType.exec(type)?.[1]?.toLowerCase() ?? '';
  return {
    'content-type': type,
    'content-disposition': create(nameOf(version.canonicalUri), {
      type: passive.test(bare) ? 'inline' : 'attachment',
    }),
    'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-cache',
    etag: etagOf(version.sha256),
  };
}

/** Strong entity tag: the hash of the payload. */
export function etagOf(sha256: string): string {
  return `"${sha256}"`;
}

/** Whether `If-None-Match` names the payload. */
export function namesEtag(header: string | undefined, etag: string): boolean {
  const tags = (header ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}

/** The type that was saved, if it is a valid one. */
function typeOf(mimeType: string | undefined): string {
  return mimeType !== undefined && mimeType.length <= 255 && mediaType.test(mimeType)
    ? mimeType
    : 'application/octet-stream';
}

/** Last segment of the artifact's name. */
function nameOf(canonicalUri: string): string {
  const path = /\/artifacts\/(.+)\/versions\/\d+$/.exec(canonicalUri)?.[1] ?? 'artifact';
  return decodeURIComponent(path.slice(path.lastIndexOf('/') + 1)).replace(/^user:/, '');
}
