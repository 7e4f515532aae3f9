import { useFigure } from '../../components/figure-field.tsx';

// The selling price stays on this station: asked once, it serves every batch until it changes.

const PRICE = 'price-per-kg';

export function usePrice() {
  const price = useFigure(localStorage.getItem(PRICE) ?? '', { isNeeded: false });
  return {
    ...price,
    setText: (text: string) => {
      price.setText(text);
      localStorage.setItem(PRICE, text);
    },
  };
}
