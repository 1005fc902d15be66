/** Elements that begin and end a line. */
export const blockTags: ReadonlySet<string> = new Set(
  `address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer
   form h1 h2 h3 h4 h5 h6 header hgroup hr html li main menu nav ol p pre section summary table tbody tfoot thead
   tr ul`.split(/\s+/),
);

/** Elements whose content is not text. */
export const droppedTags: ReadonlySet<string> = new Set(
  `applet audio canvas datalist head iframe map math noembed noframes noscript object script select style svg
   template textarea title video xmp`.split(/\s+/),
);

/** Elements without an end tag. */
export const voidTags: ReadonlySet<string> = new Set(
  'area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr'.split(' '),
);

const cells = ['td', 'th', 'tr', 'tbody', 'tfoot', 'thead'];
const rows = ['tr', 'tbody', 'tfoot', 'thead'];

/** Elements whose end tag may be left out, and the tags that begin the next element. */
export const endedBy: Readonly<Record<string, ReadonlySet<string>>> = {
  p: new Set([...blockTags].filter((tag) => !['body', 'html', 'tr', 'tbody', 'thead', 'tfoot', 'li'].includes(tag))),
  li: new Set(['li']),
  dt: new Set(['dt', 'dd']),
  dd: new Set(['dt', 'dd']),
  td: new Set(cells),
  th: new Set(cells),
  tr: new Set(rows),
  tbody: new Set(['tbody', 'tfoot', 'thead']),
  thead: new Set(['tbody', 'tfoot']),
  head: new Set(['body']),
};

/** Elements that hold those of `endedBy`. Their end tag also ends what is open in them. */
export const containerTags: ReadonlySet<string> = new Set(['table', 'ul', 'ol', 'dl', 'menu', 'dir']);
