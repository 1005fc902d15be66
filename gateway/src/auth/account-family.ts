import { routeFamily } from '../edge/http/route-family.ts';

/** Routes of an account that no personal token opens. */
export const signedIn = routeFamily({ tag: 'accounts', caller: 'account' });

/** Routes of the personal token that a request is made with. */
export const ofOwnToken = routeFamily({ tag: 'accounts', caller: 'account', ofOwnToken: true, holdsNoUserData: true });

/** Routes that need a token of a sign-in with the password, not of a refresh. */
export const withPassword = routeFamily({ tag: 'accounts', caller: 'owner' });
