export { addWebUi } from './web-ui.ts';
