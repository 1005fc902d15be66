import type { Context } from '../../context.ts';
import type { Handlers } from '../handlers.ts';
import { findAnswerLink } from './find-answer-link.ts';
import { sendAnswerLink } from './send-answer-link.ts';

/** Mailed links that answer runs. */
export function answerLinkHandlers(context: Context): Pick<Handlers, 'sendAnswerLink' | 'findAnswerLink'> {
  return {
    sendAnswerLink: sendAnswerLink(context),
    findAnswerLink: findAnswerLink(context),
  };
}
