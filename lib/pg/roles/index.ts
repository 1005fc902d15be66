export { closeSchemas, closeToOthers } from './close-to-others.ts';
export type { Login } from './login.ts';
export { isRefused, MissingRight } from './missing-right.ts';
export { lostRights, type RightsOfService } from './lost-rights.ts';
export { ownAgain } from './own-again.ts';
export { withOwner } from './owner-client.ts';
export { prepareLogin } from './prepare-login.ts';
export { rolesScript } from './roles-script.ts';
