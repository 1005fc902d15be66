import { MeshError } from '@agentmesh/lib/rpc';

export const emailInvalid = (): MeshError =>
  new MeshError('invalid_argument', 'email_invalid', 'The e-mail address is not valid.');

export const passwordInvalid = (message: string): MeshError =>
  new MeshError('invalid_argument', 'password_invalid', message);

export const textInvalid = (field: string, maxLength: number): MeshError =>
  new MeshError(
    'invalid_argument',
    'text_invalid',
    `${field} must be at most ${maxLength} characters, none of them NUL.`,
  );

export const emailInUse = (): MeshError => new MeshError('already_exists', 'email_in_use', 'Email already in use.');

export const registrationDisabled = (): MeshError => new MeshError('not_found', 'registration_disabled', 'Not Found');

export const basicAuthDisabled = (): MeshError => new MeshError('not_found', 'basic_auth_disabled', 'Not Found');

export const invalidCredentials = (): MeshError =>
  new MeshError('unauthenticated', 'invalid_credentials', 'Invalid email or password');

/** The token is unknown, used or expired, or the text is no token. */
export const mailTokenInvalid = (): MeshError =>
  new MeshError('unauthenticated', 'mail_token_invalid', 'Invalid or expired token');

export const mailTokenOfOtherKind = (): MeshError =>
  new MeshError('unauthenticated', 'mail_token_kind', 'Invalid token type');

/** The account of the token is gone. */
export const mailTokenOrphaned = (): MeshError =>
  new MeshError('unauthenticated', 'mail_token_orphaned', 'Invalid token');

export const emailNotVerified = (): MeshError =>
  new MeshError('permission_denied', 'email_not_verified', 'email_not_verified');

/** Answers to a refresh. Their texts are those of the reference server. */
export const refreshTokenInvalid = (): MeshError =>
  new MeshError('unauthenticated', 'refresh_token_invalid', 'Invalid or expired token');

export const sessionRevoked = (): MeshError => new MeshError('unauthenticated', 'session_revoked', 'Session revoked');

/** A caller's sign-in has ended, and the gateway had not heard of it. The text is that of the gateway's own refusal. */
export const callerRevoked = (): MeshError => new MeshError('unauthenticated', 'session_revoked', 'session_revoked');

export const refreshUnverified = (): MeshError =>
  new MeshError('unauthenticated', 'email_not_verified', 'Email not verified');

export const signInNotFound = (): MeshError => new MeshError('not_found', 'sign_in_not_found', 'Session not found');

export const personalTokenInvalid = (message: string): MeshError =>
  new MeshError('invalid_argument', 'personal_token_invalid', message);

export const personalTokenLimit = (limit: number): MeshError =>
  new MeshError('failed_precondition', 'personal_token_limit', `An account may have ${limit} tokens; revoke some.`);

export const accountActions = (limit: number): MeshError =>
  new MeshError(
    'resource_exhausted',
    'account_actions',
    `The account has ${limit} entries of the last hour in its audit. Nothing was done; try again later.`,
  );

export const personalTokenNotFound = (): MeshError =>
  new MeshError('not_found', 'personal_token_not_found', 'Token not found');

export const deviceSignInsTooMany = (): MeshError =>
  new MeshError(
    'resource_exhausted',
    'device_sign_ins_too_many',
    'Too many programs wait for a sign-in. Try again later.',
  );

/** The code is unknown, has expired, or was decided before. */
export const deviceCodeNotFound = (): MeshError =>
  new MeshError('not_found', 'device_code_not_found', 'There is no program with this code, or no longer.');

/** A service says that another one has erased an account. */
export const reportOfAnother = (): MeshError =>
  new MeshError('permission_denied', 'caller_refused', 'A service reports what it has done itself only.');

export const consumerCallsInvalid = (): MeshError =>
  new MeshError(
    'invalid_argument',
    'request_invalid',
    'Calls of consumers: at most 1,000 entries, with names of 1 to 100 characters.',
  );

export const erasureNotFound = (): MeshError => new MeshError('not_found', 'erasure_not_found', 'Erasure not found');

export const accountNotFound = (): MeshError => new MeshError('not_found', 'account_not_found', 'User not found');

/** The account of the caller's token was deleted. */
export const callerGone = (): MeshError => new MeshError('unauthenticated', 'caller_gone', 'User not found');

/** The same answer for every other account, whether it exists or not. */
export const notAllowed = (message: 'Not allowed' | 'Not authorized'): MeshError =>
  new MeshError('permission_denied', 'not_allowed', message);

export const notEnoughPermissions = (): MeshError =>
  new MeshError('permission_denied', 'not_enough_permissions', 'Not enough permissions');

export const passwordWorkBusy = (): MeshError =>
  new MeshError('resource_exhausted', 'password_work_busy', 'Too many sign-ins are waiting. Try again shortly.');

export const callCanceled = (cause: unknown): MeshError =>
  new MeshError('canceled', 'canceled', 'The call was canceled', { cause });

/** A notice has no kind that this release knows. */
export const noticeKindInvalid = (): MeshError =>
  new MeshError('invalid_argument', 'request_invalid', 'The kind of a notice is not known.');

/** The wait of a run lacks calls, or cannot be stored. */
export const runWaitInvalid = (): MeshError =>
  new MeshError('invalid_argument', 'request_invalid', 'The wait of the run is not valid.');

/** The token of a link that answers a run is unknown, or its account is gone. */
export const answerLinkNotFound = (): MeshError =>
  new MeshError('not_found', 'answer_link_not_found', 'There is no such link.');
