import type { Context } from '../../context.ts';
import type { Handlers } from '../handlers.ts';
import { endSignIn } from './end-sign-in.ts';
import { endSignIns } from './end-sign-ins.ts';
import { listSignIns } from './list-sign-ins.ts';
import { refresh } from './refresh.ts';
import { signIn } from './sign-in.ts';
import { signOut } from './sign-out.ts';

/** Sign-ins with a password, and their ends. */
export function signInHandlers(
  context: Context,
): Pick<Handlers, 'signIn' | 'refresh' | 'signOut' | 'listSignIns' | 'endSignIn' | 'endSignIns'> {
  return {
    signIn: signIn(context),
    refresh: refresh(context),
    signOut: signOut(context),
    listSignIns: listSignIns(context),
    endSignIn: endSignIn(context),
    endSignIns: endSignIns(context),
  };
}
