import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App, Context } from '../context.ts';
import { sessionRoutes } from './session.ts';

/** Written by `console/build.mjs`. */
const built = fileURLToPath(new URL('../../../console/dist/', import.meta.url));
const home = '/console/';
const hide = true;

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  // Artifacts are shown in sandboxed frames.
  "frame-src 'self' blob:",
  "require-trusted-types-for 'script'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Names of these files hold a hash of their content, so they never change. What is sent may be the compressed one beside it. */
const hashed = /\/assets\/[^/]+-[\w-]{8}\.\w+(\.(br|gz))?$/;

const serving = {
  index: false,
  dotfiles: 'ignore',
  cacheControl: false,
  // The build has written a `.br` and a `.gz` beside each file.
  preCompressed: true,
  allowedPath: (path: string) => !/\.(br|gz)$/.test(path),
  setHeaders: (reply: Pick<FastifyReply, 'header'>, path: string) => {
    reply.header('cache-control', hashed.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache');
  },
} as const;

/** Pages that links of account mails lead to. */
const mailed = ['/auth/verify-email', '/auth/reset-password'] as const;

/** The web console under `/console/`, with `CONSOLE`. Its files are public; what it shows comes from the API. */
export async function addConsole(app: App, context: Context): Promise<void> {
  const { browser, config, log } = context;
  if (!config.CONSOLE || browser === undefined) return;
  if (!config.ADK_WEB_UI) app.get('/', { schema: { hide } }, (_request, reply) => reply.redirect(home, 307));
  app.get('/console', { schema: { hide } }, (_request, reply) => reply.redirect(home, 307));
  for (const path of mailed) {
    app.get(path, { schema: { hide } }, ({ url }, reply) => reply.redirect(`/console${url}`, 307));
  }
  sessionRoutes(app, context, browser);
  const page = readPage();
  if (page === undefined) log.warn('the console is not built: `npm run dev` and `npm start` build it');
  await app.register(async (pages) => {
    pages.addHook('onRequest', (_request, reply, done) => {
      // Browsers send `Origin` to this server only under this policy, and the cookie needs it.
      reply.headers({ 'content-security-policy': policy, 'referrer-policy': 'same-origin' });
      done();
    });
    const send = sendPage(page);
    pages.get(home, { schema: { hide } }, send);
    if (page === undefined) return;
    // One route for all files: a route for each, with its HEAD and the refusal of other methods, took half a millisecond of the start.
    await pages.register(fastifyStatic, { ...serving, root: `${built}assets/`, prefix: `${home}assets/` });
    pages.get(`${home}favicon.svg`, { schema: { hide } }, (_request, reply) => reply.sendFile('favicon.svg', built));
    // The console's router knows the other paths.
    pages.get(`${home}*`, { schema: { hide } }, send);
  });
}

function readPage(): string | undefined {
  const file = `${built}index.html`;
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

function sendPage(page: string | undefined) {
  return (_request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if (page === undefined) return reply.code(503).send({ detail: 'The console is not built.' });
    return reply.type('text/html; charset=utf-8').header('cache-control', 'no-cache').send(page);
  };
}
