import { expect, it } from 'vitest';
import { figuresOf, patchOf } from '../../desktop/console/state/science-figures.ts';
import { sizeClasses, spreadOf, weightTexts } from '../../desktop/console/state/size-classes.ts';

it('weights may stand in lines, with blanks or semicolons; a comma belongs to the figure', () => {
  expect(weightTexts(' 8,2 9,1;7,8\n10 ')).toEqual(['8,2', '9,1', '7,8', '10']);
});

it('20 g is the class of 40 to 50 to the kilogram, 12.5 g that of 70 to 80, and a gap between them stays in sight', () => {
  const classes = sizeClasses([20, 20, 12.5, 12.5]);
  expect(classes.map(({ from, to, animals }) => [from, to, animals])).toEqual([
    [40, 50, 2],
    [50, 60, 0],
    [60, 70, 0],
    [70, 80, 2],
  ]);
  expect(classes[0]?.share).toBe(50);
  expect(classes[0]?.weightShare).toBeCloseTo(61.5, 1);
});

it('the smallest postlarva and the largest breeder have a class, too', () => {
  expect(sizeClasses([0.01])[0]).toMatchObject({ from: 200, to: null });
  expect(sizeClasses([80])[0]).toMatchObject({ from: null, to: 20 });
  expect(sizeClasses([])).toEqual([]);
});

it('the variation is that of a sample, and one animal has none', () => {
  expect(spreadOf([10, 12, 14])).toMatchObject({ mean: 12, least: 10, most: 14 });
  expect(spreadOf([10, 12, 14])?.cv).toBeCloseTo(16.67, 2);
  expect(spreadOf([10])?.cv).toBeNull();
  expect(spreadOf([])).toBeNull();
});

it('a figure of the science knows its default and whether the farm set it; a table of figures is one of them', () => {
  const found = figuresOf({
    constants: { energy: { tariffPerKwh: 0.9, discountWindows: [{ share: 0.5 }] } },
    overrides: { energy: { tariffPerKwh: 0.9 } },
    defaults: { energy: { tariffPerKwh: 0.6, discountWindows: [] } },
    rules: [
      { path: 'energy.tariffPerKwh', unit: 'R$', min: 0, max: 10 },
      { path: 'energy.discountWindows[].share', min: 0, max: 1 },
      { path: 'energy.discountWindows[].from' },
    ],
  });
  expect(
    found.map(({ name, value, standard, isOwn, isList }) => [name, value, standard, isOwn, isList]),
  ).toEqual([
    ['tariffPerKwh', 0.9, 0.6, true, false],
    ['discountWindows', null, null, false, true],
  ]);
});

it('one figure is sent alone, and null goes back to the default', () => {
  expect(patchOf({ section: 'water', name: 'alerts.LOW_OXYGEN.limit' }, null)).toEqual({
    water: { alerts: { LOW_OXYGEN: { limit: null } } },
  });
});
