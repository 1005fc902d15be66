const shapes = {
  home: 'M3 11.5 12 4l9 7.5M5.5 9.5V20h13V9.5M10 20v-6h4v6',
  chat: 'M4 5h16v11H9l-5 4z',
  runs: 'M4 6h10M4 12h16M4 18h7',
  inbox: 'M4 13V6a1 1 0 0 1 1-1h14a1 1 0 0 1 1 1v7m-16 0v6h16v-6m-16 0h5l1.5 2.5h3L15 13h5',
  agents: 'M12 3v3M6 8h12v9H6zM9.5 12v1M14.5 12v1M3 11v3M21 11v3M9 20h6',
  sessions: 'M4 7h16M4 12h16M4 17h16M7 4v16',
  clock: 'M12 3a9 9 0 1 0 .01 0M12 7v5l3.5 2',
  mail: 'M3 6h18v12H3zM3.5 7l8.5 6 8.5-6',
  hook: 'M9 8a4 4 0 1 1 5 3.8L10 18M6 13a4 4 0 1 0 4 5h6m0 0a3 3 0 1 0-2-5',
  key: 'M14.5 9.5a4.5 4.5 0 1 0-3.2 4.3L13 15.5h2v2h2v2h3v-3l-5.6-5.6M7.8 8.8h.01',
  chart: 'M4 20V4M4 20h16M8 16v-4M12 16V8M16 16v-6',
  person: 'M12 4a4 4 0 1 0 .01 0M4.5 20c.8-4 3.6-6 7.5-6s6.7 2 7.5 6',
  shield: 'M12 3 5 6v5c0 5 3 8 7 10 4-2 7-5 7-10V6z',
  search: 'M11 4a7 7 0 1 0 .01 0M16 16l4.5 4.5',
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6 6 18',
  plus: 'M12 5v14M5 12h14',
  save: 'M12 4v11M7 10.5l5 5 5-5M4 19h16',
  send: 'M12 19V5M6 11l6-6 6 6',
  stop: 'M7 7h10v10H7z',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  check: 'M5 12.5l4.5 4.5L19 7',
  tool: 'M14 6a4 4 0 0 1 5.3-1L16 8l.5 2 2 .5 2.8-3.3A4.5 4.5 0 0 1 15 12.5L8 20l-3-3 7.5-7.5',
  keyboard: 'M3 6h18v12H3zM7 10h.01M10.5 10h.01M14 10h.01M17 10h.01M8 14h8',
  fork: 'M7 4v6a3 3 0 0 0 3 3h4a3 3 0 0 1 3 3v4M7 13v7M4 7l3-3 3 3M14 17l3 3 3-3',
  trash: 'M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13',
  sun: 'M12 8a4 4 0 1 0 .01 0M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6 19 19M19 5l-1.4 1.4M6.4 17.6 5 19',
  panel: 'M4 5h16v14H4zM14.5 5v14',
  play: 'M8 5l11 7-11 7z',
  out: 'M10 4H5v16h5M14 8l4 4-4 4M8 12h10',
  mic: 'M12 3a3 3 0 0 0-3 3v5a3 3 0 0 0 6 0V6a3 3 0 0 0-3-3M6 11a6 6 0 0 0 12 0M12 17v4',
  clip: 'M8 12l5.5-5.5a3 3 0 0 1 4.3 4.3L10 18.5a5 5 0 0 1-7-7L10 4.5',
  model: 'M12 3l1.9 6.1L20 11l-6.1 1.9L12 19l-1.9-6.1L4 11l6.1-1.9zM19 3v4M17 5h4',
  retry: 'M19 12a7 7 0 1 1-2-5M19 4v4h-4',
  back: 'M14 6l-6 6 6 6',
  phone: 'M8 3h8v18H8zM11 18h2',
} as const;

export type IconName = keyof typeof shapes;

/** A line drawing in the colour of the text around it. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="1.8"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={shapes[name]} />
    </svg>
  );
}
