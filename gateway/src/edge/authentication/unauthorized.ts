import { HttpError } from '../errors/request-error.ts';

/** The 401 answers of the bearer guard, as platform.md 1.1 words them. */
const unauthorized = (detail: string) => new HttpError(401, detail, { 'www-authenticate': 'Bearer' });

export const notAuthenticated = () => unauthorized('Not authenticated');
export const invalidToken = () => unauthorized('Could not validate credentials');
export const wrongTokenType = () => unauthorized('Invalid token type. Access token required.');
export const unknownAccount = () => unauthorized('User not found');
/** Also said of a token that does not tell when it was issued: nobody can tell whether that was before a revocation. */
export const revokedSession = () => unauthorized('session_revoked');
