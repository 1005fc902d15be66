export { type BacklogWatch, createBacklogWatch } from './watch-backlog.ts';
