import { MeshError } from '@agentmesh/lib/rpc';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BrowserSession } from '../edge/authentication/browser/browser-session.ts';
import { problemOf } from '../edge/errors/problem.ts';
import { HttpError } from '../edge/errors/request-error.ts';
import { type FormPage, formPage } from './form-page.ts';

const pagePolicy = "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/** Sends a page with a form, under a policy that allows no scripts. */
export function sendForm(reply: FastifyReply, status: number, page: FormPage): FastifyReply {
  return reply
    .code(status)
    .headers({ 'content-security-policy': pagePolicy, 'cache-control': 'no-store' })
    .type('text/html; charset=utf-8')
    .send(formPage(page));
}

/** Throws 403 unless the form was sent from a page of this origin. */
export function refuseForeignForm(browser: BrowserSession, request: FastifyRequest): void {
  if (!browser.isOwnForm(request)) throw new HttpError(403, 'Forbidden: the form is not of this origin');
}

const notVerified =
  'This e-mail address is not verified yet. Open the link in the mail that was sent to it, and then sign in.';

/** Status and text of an error that the user can correct. Throws every other error again. */
export function faultOf(error: unknown): { status: number; fault: string } {
  const problem = error instanceof MeshError ? problemOf(error) : undefined;
  if (!(error instanceof MeshError) || problem === undefined) throw error;
  return { status: problem.status, fault: error.reason === 'email_not_verified' ? notVerified : error.message };
}

/** Redirects to another page. The answer is not cached. */
export function goTo(reply: FastifyReply, path: string): FastifyReply {
  return reply.header('cache-control', 'no-store').redirect(path, 303);
}

/** Path of the web UI, with the query of the requested page. */
export function webUiPage(next: string): string {
  return next === '' ? '/dev-ui/' : `/dev-ui/?${new URLSearchParams(next).toString()}`;
}

/** Path of a form page that leads to `next` afterwards. */
export function formPath(path: string, next: string): string {
  return next === '' ? path : `${path}?${new URLSearchParams({ next }).toString()}`;
}
