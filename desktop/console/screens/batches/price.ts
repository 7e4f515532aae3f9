// The selling price stays on this station: asked once, it serves every batch until it changes.

const PRICE = 'price-per-kg';

export const keptPrice = (): string => localStorage.getItem(PRICE) ?? '';
export const keepPrice = (text: string): void => localStorage.setItem(PRICE, text);
