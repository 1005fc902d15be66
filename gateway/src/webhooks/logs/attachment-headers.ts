import type { LogAttachment } from '@agentmesh/proto/webhooks/v1/logs';
import { create } from 'content-disposition';

/** Types that a browser shows without running them. All others are downloads. */
const shown = /^(?:application\/pdf|image\/(?:png|jpeg|gif|webp|avif|bmp))$/;

/** Headers of an attachment. Its sender chose the name, the type and the bytes; nothing of it runs with the origin of this server. */
export function attachmentHeaders({ filename, contentType, size }: LogAttachment): Record<string, string> {
  const isShown = shown.test(contentType);
  return {
    'content-type': contentType,
    'content-length': String(size),
    'content-disposition': create(filename, { type: isShown ? 'inline' : 'attachment' }),
    'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'private, no-store',
  };
}
