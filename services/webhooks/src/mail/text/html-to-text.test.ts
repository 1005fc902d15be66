import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HtmlText } from './html-text.ts';
import { htmlMaxLength, htmlToText } from './html-to-text.ts';

describe('the text of a mail in HTML', () => {
  test.each([
    ['blocks', '<p>One</p><p>Two</p><div>Three<br>Four</div>', 'One\n\nTwo\n\nThree\nFour'],
    ['spaces', '<b>a</b>  \n <i>b</i>c', 'a bc'],
    ['entities', '&lt;b&gt; &amp; &#65;&nbsp;x', '<b> & A\u00A0x'],
    ['lists and tables', '<ul><li>a<li>b</ul><table><tr><td>1<td>2</table>', '- a\n- b\n1 2'],
    [
      'links',
      '<a href="https://x.example/a">here</a> <a href="https://y.example">https://y.example</a>',
      'here (https://x.example/a) https://y.example',
    ],
    ['links that run code', '<a href="javascript:alert(1)">here</a>', 'here'],
    ['preformatted text', '<pre>a\n  b</pre>', 'a\n  b'],
    ['scripts, styles and titles', '<title>t</title><style>s</style><script>"</b>"</script>x<!-- c -->', 'x'],
    ['images', 'a<img src=x alt=y>b', 'ab'],
  ])('keeps the sense of %s', async (_, html, text) => {
    expect(await htmlToText(html)).toBe(text);
  });

  test.each([
    '<div hidden>no</div>yes',
    '<span style="display:none">no<span>no</span>no</span>yes',
    '<span style="color:red; DISPLAY : NONE !important">no</span>yes',
    '<span style="dis/* */play:none">no</span>yes',
    '<span style="display:/** a*b **/none">no</span>yes',
    '<span style="display:n\\6f ne">no</span>yes',
    '<p style="font-size:0px">no<p>yes',
    '<p style="opacity:0">no</p>yes',
    '<div style="visibility:hidden"><p>no</div>yes',
    '<div style="max-height:0;overflow:hidden">no</div>yes',
    '<table><tr><td hidden>no<table><tr><td>no</table>no<td>yes</table>',
    '<table><tr><td hidden>no</tr><tr><td>yes</table>',
    '<ul><li hidden>no<ul><li>no</ul>no<li>yes</ul>',
    '<img hidden>yes',
    '<template>no</template>yes',
  ])('leaves out what is hidden: %s', async (html) => {
    expect((await htmlToText(html)).replace(/^- /, '')).toBe('yes');
  });

  test('keeps text that only looks hidden', async () => {
    expect(await htmlToText('<p style="font-size:0.9em;opacity:0.5">yes')).toBe('yes');
    expect(await htmlToText('<p style="content:\'display:none\'">yes')).toBe('yes');
  });

  test('ends at the greatest length', async () => {
    expect(await htmlToText('x'.repeat(htmlMaxLength + 10))).toHaveLength(htmlMaxLength);
  });

  test('of any input is no longer than the input and its tags allow', async () => {
    const piece = fc.constantFrom(
      '<',
      '>',
      '"',
      '=',
      '<p>',
      '</p>',
      '<a href=https://x>',
      '</a>',
      '<b',
      '&',
      '&#',
      '<!--',
      ']]>',
      '<td>',
      '<li>',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(piece, fc.string()), { maxLength: 60 }), async (pieces) => {
        const html = pieces.join('');
        expect((await htmlToText(html)).length).toBeLessThanOrEqual(4 * html.length + 4);
      }),
    );
  });
});

describe('hostile HTML', () => {
  const size = 1_000_000;
  const repeat = (text: string): string => text.repeat(size / text.length);
  test.each([
    ['open tags', repeat('<div>')],
    ['hidden open tags', repeat('<div hidden>')],
    ['end tags', repeat('</p>')],
    ['table cells', repeat('<table><td>')],
    ['links', repeat('<a href=https://x>')],
    ['attributes', `<a ${repeat('x=y ')}>`],
    ['distinct attributes', `<a ${Array.from({ length: 30_000 }, (_, n) => `x${n}`).join(' ')}>`],
    ['quotes', `<a href="${repeat('<')}`],
    ['comments', repeat('<!--')],
    ['entities', repeat('&am')],
    ['angle brackets', repeat('<')],
    ['CDATA', repeat('<![CDATA[')],
    ['long styles', `<p style="${repeat('display: ')}">`],
  ])('of a megabyte of %s is read to its end', async (_, html) => {
    expect((await htmlToText(`${html.slice(0, htmlMaxLength)}`)).length).toBeLessThanOrEqual(htmlMaxLength + 1);
  });

  test('costs one step for each tag, however deep the tags are', () => {
    const steps = (tags: number): number => {
      const text = new HtmlText();
      for (let n = 0; n < tags; n += 1) text.open('div', [], false);
      for (let n = 0; n < tags; n += 1) text.close('div');
      return text.steps;
    };
    expect(steps(20_000)).toBe(2 * steps(10_000));
  });
});
