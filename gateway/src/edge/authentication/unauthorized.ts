import { HttpError } from '../errors/request-error.ts';

/** 401 answers of bearer authentication. Front ends compare their texts. */
const unauthorized = (detail: string) => new HttpError(401, detail, { 'www-authenticate': 'Bearer' });

export const notAuthenticated = () => unauthorized('Not authenticated');
/** For a header without the word `Bearer`. */
export const noScheme = () => unauthorized('Send the token as "authorization: Bearer <token>".');
export const invalidToken = () => unauthorized('Could not validate credentials');
export const wrongTokenType = () => unauthorized('Invalid token type. Access token required.');
export const unknownAccount = () => unauthorized('User not found');
/** Also the answer for a token without `iat`, which could be from before a revocation. */
export const revokedSession = () => unauthorized('session_revoked');
