import './style/tokens.css';
import './style/base.css';
import './style/shell.css';
import './style/kit.css';
import './style/parts.css';
import './style/sign.css';
import { render } from 'preact';
import { followSignIn, loadSession } from './data/session.ts';
import { App } from './shell/app.tsx';
import { listenForKeys } from './shell/keys.ts';
import { followLinks } from './shell/router.ts';
import './shell/theme.ts';

followLinks();
listenForKeys();
followSignIn();
render(<App />, document.body);
void loadSession().catch(() => undefined);
