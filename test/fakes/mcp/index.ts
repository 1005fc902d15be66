export { type FakeMcpServer, startMcpServer } from './mcp-server.ts';
