import type { FastifyRequest } from 'fastify';

/** Replaces an invalid content type by that of bytes of any kind. Fastify would refuse the request before any route sees it. */
export function normaliseContentType(headers: FastifyRequest['raw']['headers']): void {
  const type = headers['content-type'];
  if (type !== undefined && !/^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(;|$)/.test(type)) {
    headers['content-type'] = 'application/octet-stream';
  }
}
