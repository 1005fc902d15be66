export { addExport } from './export-route.ts';
