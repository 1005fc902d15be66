import { mesh } from '../../data/client.ts';
import { invalidate, useQuery } from '../../data/query.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { When } from '../../kit/states.tsx';
import { Time } from '../../kit/time.tsx';
import { t } from '../../texts.ts';

/** Sign-ins that have not ended. */
export function SignIns() {
  const known = useQuery('sign-ins', () => mesh.account.signIns());
  const end = async (id: string): Promise<void> => {
    await mesh.account.endSignIn(id);
    await invalidate('sign-ins');
  };
  return (
    <>
      <p class="muted">{t.account.signInsLead}</p>
      <When known={known} retry={() => invalidate('sign-ins')}>
        {(signIns) => (
          <ul class="card lines">
            {signIns.map(({ id, user_agent: program, address, last_used_at: at, current }) => (
              <li key={id} class="row">
                <div class="grow">
                  <p class="clip" title={program}>
                    {nameOf(program)}
                  </p>
                  <p class="small muted">
                    {address} · {t.account.used} <Time at={at} />
                  </p>
                </div>
                {current ? (
                  <Badge tone="good">{t.account.current}</Badge>
                ) : (
                  <Button isTiny onPress={() => end(id)}>
                    {t.account.signOutThere}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </When>
    </>
  );
}

/** `Chrome on Linux` for what a browser calls itself; other programs by their own name. */
function nameOf(program: string): string {
  const browser = /(Edg|Firefox|Chrome|Safari)\//.exec(program)?.[1];
  const system = /(Windows|Mac OS X|Android|iPhone|iPad|Linux)/.exec(program)?.[1];
  return browser === undefined ? program : [browser.replace('Edg', 'Edge'), system].filter(Boolean).join(', ');
}
