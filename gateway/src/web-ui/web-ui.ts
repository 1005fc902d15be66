import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyReply } from 'fastify';
import type { App, Context } from '../context.ts';
import type { BrowserSession } from '../edge/authentication/browser/browser-session.ts';
import { iconFolder, readBundle } from './bundle.ts';
import { devRoutes } from './dev-routes.ts';
import { signInPath, signInRoutes } from './sign-in.ts';
import { signUpRoutes } from './sign-up.ts';
import { traceRoutes } from './trace-routes.ts';

const webUiPath = '/dev-ui/';

const ownFiles = fileURLToPath(new URL('../../web-ui/', import.meta.url));
const hashedName = /-[A-Z0-9]{8}\.[a-z]+$/;

/** Files with a hash in their name never change. Browsers check all others again. */
const serving = {
  index: false,
  dotfiles: 'ignore',
  decorateReply: false,
  cacheControl: false,
  setHeaders: (reply: Pick<FastifyReply, 'header'>, path: string) => {
    reply.header('cache-control', hashedName.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache');
  },
} as const;

/** ADK's built web UI under `/dev-ui/`, with `ADK_WEB_UI`. Its page needs a sign-in; its files are public, as their package is. */
export async function addWebUi(app: App, context: Context): Promise<void> {
  const { browser, config } = context;
  if (!config.ADK_WEB_UI || browser === undefined) return;
  const bundle = readBundle();
  for (const url of ['/', '/dev-ui']) {
    app.get(url, { schema: { hide: true } }, (_request, reply) => reply.redirect(webUiPath, 307));
  }
  devRoutes(app, context);
  traceRoutes(app, context);
  await app.register(async (ui) => {
    ui.addHook('onRequest', (_request, reply, done) => {
      // Browsers send `Origin` with a form only under this policy, and the same-origin check needs it.
      reply.headers({ 'content-security-policy': bundle.policy, 'referrer-policy': 'same-origin' });
      done();
    });
    addPage(ui, bundle.page, browser);
    addConfiguration(ui);
    signInRoutes(ui, context, browser);
    signUpRoutes(ui, context, browser);
    await ui.register(fastifyStatic, {
      ...serving,
      root: iconFolder(),
      prefix: `${webUiPath}icons/`,
      allowedPath: (path) => path.endsWith('.woff2'),
    });
    // Our files take precedence. Two of them, the themes of the code view, are missing in ADK's package.
    await ui.register(fastifyStatic, { ...serving, root: [ownFiles, bundle.root], prefix: webUiPath });
  });
}

function addPage(ui: App, page: string, browser: BrowserSession): void {
  for (const url of [webUiPath, `${webUiPath}index.html`]) {
    ui.get(url, { schema: { hide: true } }, async (request, reply) => {
      const isSignedIn = browser.isPresent(request) && (await isGood(() => browser.identify(request)));
      if (!isSignedIn) return reply.redirect(signInPath(request.url), 303);
      return reply.type('text/html; charset=utf-8').header('cache-control', 'no-store').send(page);
    });
  }
}

async function isGood(identify: () => unknown): Promise<boolean> {
  try {
    await identify();
    return true;
  } catch {
    return false;
  }
}

/** The UI calls the origin that served it. */
function addConfiguration(ui: App): void {
  const noStore = (reply: FastifyReply) => reply.header('cache-control', 'no-store');
  ui.get(`${webUiPath}assets/config/runtime-config.json`, { schema: { hide: true } }, (_request, reply) =>
    noStore(reply).send({ backendUrl: '' }),
  );
  ui.get(`${webUiPath}config`, { schema: { hide: true } }, (_request, reply) =>
    noStore(reply).send({ logo_text: null, logo_image_url: null }),
  );
}
