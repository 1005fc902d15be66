export { addSessions } from './sessions.ts';
