import '../styles/weights.css';
import { weightWords } from '#words/weights.ts';
import { figure, percent, quantity } from '../i18n/format.ts';
import { type SizeClass, sizeClasses, spreadOf } from '../state/size-classes.ts';

/** Single weights by the classes of the trade: a bar each, and the same as figures beside it. */
export function SizeHistogram({ weights }: { weights: readonly number[] }) {
  const w = weightWords();
  const spread = spreadOf(weights);
  if (spread === null) return null;
  const classes = sizeClasses(weights);
  const most = Math.max(...classes.map(({ share }) => share), 1);
  return (
    <div class="stack" data-sizes={classes.length}>
      <dl class="facts">
        <Fact name={w.mean} value={quantity(spread.mean, 2, 'g')} />
        <Fact name={w.perKg} value={figure(spread.perKg)} />
        <Fact name={w.cv} value={percent(spread.cv, 1)} />
        <Fact name={w.range} value={`${figure(spread.least, 1)}–${quantity(spread.most, 1, 'g')}`} />
      </dl>
      <div class="table-frame" tabIndex={0} role="region" aria-label={w.classes}>
        <table class="table sizes">
          <caption class="visually-hidden">{w.classes}</caption>
          <thead>
            <tr>
              <th scope="col">{w.size}</th>
              <th scope="col" class="number">
                {w.animals}
              </th>
              <th scope="col" class="number">
                {w.ofWeight}
              </th>
              <th scope="col">{w.share}</th>
            </tr>
          </thead>
          <tbody>
            {classes.map((one) => (
              <tr key={`${one.from} ${one.to}`}>
                <th scope="row">{nameOf(one)}</th>
                <td class="number">{figure(one.animals)}</td>
                <td class="number">{percent(one.weightShare)}</td>
                <td>
                  <span class="size-bar" style={{ '--share': one.share / most }} aria-hidden="true" />
                  {percent(one.share)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

function nameOf({ from, to }: SizeClass): string {
  const w = weightWords();
  if (from === null) return w.upTo(figure(to));
  return to === null ? w.above(figure(from)) : `${figure(from)}–${figure(to)}`;
}

const Fact = ({ name, value }: { name: string; value: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
);
