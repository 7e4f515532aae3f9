/** At most so many colours, and which of them stands for each that was there. */
export type Colours = { palette: number[]; indexOf: ReadonlyMap<number, number> };

type Counted = { colour: number; count: number };
const SHIFTS = [16, 8, 0] as const;
const channel = (colour: number, shift: number) => (colour >> shift) & 255;

/** Median cut: the box of colours that spreads most is halved until there are enough of them. */
export function coloursOf(pictures: readonly Uint32Array[], most: number): Colours {
  const counts = new Map<number, number>();
  for (const pixels of pictures) {
    for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  }
  let boxes = [[...counts].map(([colour, count]): Counted => ({ colour, count }))];
  while (boxes.length < most) {
    const widest = boxes.filter((box) => box.length > 1).toSorted((a, b) => weightOf(b) - weightOf(a))[0];
    if (widest === undefined) break;
    boxes = [...boxes.filter((box) => box !== widest), ...halved(widest)];
  }
  const palette = boxes.map(meanOf);
  return {
    palette,
    indexOf: new Map(boxes.flatMap((box, index) => box.map(({ colour }) => [colour, index] as const))),
  };
}

function spreadOf(box: readonly Counted[]): { shift: number; range: number } {
  return SHIFTS.map((shift) => {
    const values = box.map(({ colour }) => channel(colour, shift));
    return {
      shift,
      range: values.reduce((a, b) => Math.max(a, b)) - values.reduce((a, b) => Math.min(a, b)),
    };
  }).reduce((a, b) => (b.range > a.range ? b : a));
}

/** How far colours lie apart counts more than how often they are there: a small red mark must stay red. */
const weightOf = (box: readonly Counted[]): number =>
  spreadOf(box).range * Math.log2(1 + box.reduce((sum, { count }) => sum + count, 0));

function halved(box: readonly Counted[]): Counted[][] {
  const { shift } = spreadOf(box);
  const sorted = box.toSorted((a, b) => channel(a.colour, shift) - channel(b.colour, shift));
  const all = sorted.reduce((sum, { count }) => sum + count, 0);
  let passed = 0;
  const middle = sorted.findIndex(({ count }) => {
    passed += count;
    return passed * 2 >= all;
  });
  const cut = Math.min(Math.max(1, middle), sorted.length - 1);
  return [sorted.slice(0, cut), sorted.slice(cut)];
}

/** The most frequent one where it rules: large areas keep exactly their colour. */
function meanOf(box: readonly Counted[]): number {
  const all = box.reduce((sum, { count }) => sum + count, 0);
  const first = box.reduce((a, b) => (b.count > a.count ? b : a));
  if (first.count * 2 >= all) return first.colour;
  return SHIFTS.reduce<number>((colour, shift) => {
    const mean = box.reduce((sum, { colour: one, count }) => sum + channel(one, shift) * count, 0) / all;
    return colour | (Math.round(mean) << shift);
  }, 0);
}
