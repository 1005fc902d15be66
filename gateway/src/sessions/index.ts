export { addSessions } from './sessions.ts';
export { sessionExport } from './export.ts';
