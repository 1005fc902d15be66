import { routeFamily } from '../edge/http/route-family.ts';

/** Routes of an account. Personal tokens open none of them. */
export const signedIn = routeFamily({ tag: 'accounts', caller: 'account' });

/** Routes that need a token of a sign-in with the password, not of a refresh. */
export const withPassword = routeFamily({ tag: 'accounts', caller: 'owner' });
