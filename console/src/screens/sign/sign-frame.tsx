import type { ComponentChildren } from 'preact';
import { base } from '../../shell/router.ts';

interface SignFrameProps {
  readonly title: string;
  readonly lead?: string;
  readonly links: readonly (readonly [path: string, text: string])[];
  readonly children: ComponentChildren;
}

export function SignFrame({ title, lead, links, children }: SignFrameProps) {
  return (
    <main class="sign" id="main">
      <div class="sign-box">
        <header>
          <img src={`${base}/favicon.svg`} alt="" width="44" height="44" />
          <h1>{title}</h1>
          {lead && <p class="muted">{lead}</p>}
        </header>
        <div class="card stack">{children}</div>
        <footer>
          {links.map(([path, text]) => (
            <a key={path} href={base + path}>
              {text}
            </a>
          ))}
        </footer>
      </div>
    </main>
  );
}
