export { closeToOthers } from './close-to-others.ts';
export type { Login } from './login.ts';
export { isRefused, MissingRight } from './missing-right.ts';
export { prepareLogin } from './prepare-login.ts';
export { rolesScript } from './roles-script.ts';
