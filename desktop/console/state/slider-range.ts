// Between which figures one tries what another price would mean. Pure.

export type SliderRange = { min: number; max: number; step: number };

const STEPS_A_DECADE = 20;

/** Half as much to half as much again, in steps that people would say: 25 goes by halves, 400 by fives. */
export function rangeAround(value: number): SliderRange {
  const step = 10 ** Math.floor(Math.log10(value)) / STEPS_A_DECADE;
  const steps = (share: number) => (value * share) / step;
  return {
    min: tidy(Math.floor(steps(0.5)) * step),
    max: tidy(Math.ceil(steps(1.5)) * step),
    step: tidy(step),
  };
}

const tidy = (value: number): number => Number(value.toPrecision(6));
