import type { App, Context } from '../../context.ts';
import { mcpRoutes } from './mcp-routes.ts';

/** The Model Context Protocol: apps are tools. */
export function addMcp(app: App, context: Context): void {
  mcpRoutes(app, context);
}
