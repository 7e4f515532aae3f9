// Drawn by ourselves on a grid of 24, in one stroke: no font of pictures, which every machine draws differently.

const PATHS = {
  farm: 'M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z',
  alarm: 'M12 3l9.5 17h-19zM12 10v4M12 17v.5',
  plus: 'M12 5v14M5 12h14',
  aeration:
    'M12 12m-2 0a2 2 0 104 0 2 2 0 10-4 0M12 10c-1-4 0-7 3-7s2 5-1 8M14 12c4-1 7 0 7 3s-5 2-8-1M12 14c1 4 0 7-3 7s-2-5 1-8M10 12c-4 1-7 0-7-3s5-2 8 1',
  batch: 'M4 5h16M4 10h16M4 15h10M4 20h10',
  report: 'M4 20V4M4 20h16M8 16v-4M12 16V8M16 16v-6',
  system: 'M4 7h10M18 7h2M4 17h2M10 17h10M16 5v4M8 15v4',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  sound: 'M4 9v6h4l5 4V5L8 9zM16 9c1.5 2 1.5 4 0 6M18.5 6.5c3 3.5 3 7.5 0 11',
  mute: 'M4 9v6h4l5 4V5L8 9zM17 9l5 6M22 9l-5 6',
  queue: 'M8 4v16M8 4L4 8M8 4l4 4M16 20V4M16 20l-4-4M16 20l4-4',
  check: 'M4 12l5 6L20 6',
  close: 'M5 5l14 14M19 5L5 19',
  clock: 'M12 3a9 9 0 100 18 9 9 0 000-18M12 7v5l4 2',
  calendar: 'M4 6h16v15H4zM4 10h16M8 3v5M16 3v5',
  hand: 'M8 13V5a1.5 1.5 0 013 0v6V4a1.5 1.5 0 013 0v7V6a1.5 1.5 0 013 0v8c0 4-2 7-6 7s-5-2-8-7c-.8-1.400 1.200-2.500 2.300-1.400z',
  probe: 'M12 3v10M9 3h6M12 13a4 4 0 100 8 4 4 0 000-8',
  lock: 'M6 11h12v9H6zM8.500 11V8a3.500 3.500 0 017 0v3',
  cloudOff: 'M7 18h10a4 4 0 000-8 6 6 0 00-11-1 4.500 4.500 0 001 9zM4 4l16 16',
  download: 'M12 4v11M7 11l5 5 5-5M4 20h16',
  print: 'M7 9V4h10v5M7 17H4V9h16v8h-3M7 14h10v6H7z',
  search: 'M10.500 4a6.500 6.500 0 100 13 6.500 6.500 0 000-13M15.500 15.500L21 21',
  back: 'M15 5l-7 7 7 7',
  next: 'M9 5l7 7-7 7',
  edit: 'M4 20l1-5L16 4l4 4L9 19z',
  trash: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13',
  user: 'M12 4a4 4 0 100 8 4 4 0 000-8M4 21c0-5 4-7 8-7s8 2 8 7',
} as const;

export type IconName = keyof typeof PATHS;

/** A picture beside words; alone it must have a label on what it stands in. */
export function Icon({ name, size = 20 }: { name: IconName; size?: number }) {
  return (
    <svg
      class="icon"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width={name === 'more' ? 3.5 : 2}
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
