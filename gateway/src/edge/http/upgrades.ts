import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';

type Upgradable = Pick<IncomingMessage, 'url' | 'headers'>;

export interface Upgrades {
  /** Whether a request asks for a WebSocket at a path that serves one. All others are plain requests, whatever their headers say. */
  readonly isUpgrade: (request: Upgradable) => boolean;
  /** Learns the paths of all routes with a `wsHandler`. Call it before the first route. */
  readonly learnRoutes: (app: FastifyInstance) => void;
}

export function createUpgrades(): Upgrades {
  const paths = new Set<string>();
  return {
    isUpgrade: ({ url = '', headers }) =>
      headers.upgrade?.toLowerCase() === 'websocket' && paths.has(url.split('?', 1)[0] ?? ''),
    learnRoutes: (app) => {
      app.addHook('onRoute', ({ url, wsHandler }) => {
        if (wsHandler !== undefined) paths.add(url);
      });
    },
  };
}
